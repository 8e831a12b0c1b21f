/* What measures nodes, and a relay to compare them with: joint_states in, Float64MultiArray out.

   ros_driver relay NAMESPACE
   ros_driver listen TOPIC,PACKAGE,MESSAGE ...
   ros_driver drive JOINT,JOINT... RATE BLOCK_MS ROUNDS IN,OUT,PID ...

   `drive` sends joint states to one target after the other, a block each, and prints a line of JSON
   per block: what was sent and what came back, the CPU of the process (ns), and the times from each
   joint state to its command (us), if all came. Commands carry no stamp: they come in order. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <rcl/error_handling.h>
#include <rcl/rcl.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>
#include <sensor_msgs/msg/joint_state.h>
#include <signal.h>
#include <std_msgs/msg/float64_multi_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000LL
#define MOST 64      /* subscriptions */
#define LONGEST 65536 /* samples of a block */
#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != RCL_RET_OK) {                                                                    \
      fprintf(stderr, "%s: %s\n", #call, rcl_get_error_string().str);                              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

typedef sensor_msgs__msg__JointState JointState;
typedef std_msgs__msg__Float64MultiArray Commands;

static volatile sig_atomic_t stopped;
static rcl_context_t context;
static rcl_node_t node;
static const rosidl_message_type_support_t *joint_state_type, *commands_type;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

static int64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static void pause_until(int64_t when) {
  struct timespec t = {when / SECOND, when % SECOND};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void begin(const char *name, const char *namespace) {
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  CHECK(rcl_init_options_init(&options, rcl_get_default_allocator()));
  context = rcl_get_zero_initialized_context();
  CHECK(rcl_init(0, NULL, &options, &context));
  rcl_node_options_t of_node = rcl_node_get_default_options();
  of_node.enable_rosout = false;
  node = rcl_get_zero_initialized_node();
  CHECK(rcl_node_init(&node, name, namespace, &context, &of_node));
  joint_state_type = ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState);
  commands_type = ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, Float64MultiArray);
}

static rcl_subscription_t subscribe(const rosidl_message_type_support_t *type, const char *topic,
                                    int reliable, size_t depth) {
  rcl_subscription_t result = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos.depth = depth;
  if (!reliable) options.qos.reliability = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  CHECK(rcl_subscription_init(&result, &node, type, topic, &options));
  return result;
}

static rcl_publisher_t advertise(const rosidl_message_type_support_t *type, const char *topic) {
  rcl_publisher_t result = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos.depth = 10;
  CHECK(rcl_publisher_init(&result, &node, type, topic, &options));
  return result;
}

static rcl_wait_set_t wait_set(size_t subscriptions) {
  rcl_wait_set_t result = rcl_get_zero_initialized_wait_set();
  CHECK(rcl_wait_set_init(&result, subscriptions, 0, 0, 0, 0, 0, &context,
                          rcl_get_default_allocator()));
  return result;
}

static int wait_for(rcl_wait_set_t *set, const rcl_subscription_t *subscriptions, int count) {
  CHECK(rcl_wait_set_clear(set));
  for (int i = 0; i < count; i++)
    CHECK(rcl_wait_set_add_subscription(set, &subscriptions[i], NULL));
  int ready = rcl_wait(set, SECOND / 10) == RCL_RET_OK;
  rcl_reset_error();
  return ready;
}

static int relay(const char *namespace) {
  begin("c_relay", namespace);
  rcl_subscription_t in = subscribe(joint_state_type, "joint_states", 0, 10);
  rcl_publisher_t out = advertise(commands_type, "commands");
  rcl_wait_set_t set = wait_set(1);
  JointState state;
  Commands commands;
  rmw_message_info_t info;
  sensor_msgs__msg__JointState__init(&state);
  std_msgs__msg__Float64MultiArray__init(&commands);
  while (!stopped) {
    if (!wait_for(&set, &in, 1)) continue;
    while (rcl_take(&in, &state, &info, NULL) == RCL_RET_OK) {
      if (commands.data.size != state.position.size) {
        rosidl_runtime_c__double__Sequence__fini(&commands.data);
        rosidl_runtime_c__double__Sequence__init(&commands.data, state.position.size);
      }
      memcpy(commands.data.data, state.position.data, 8 * state.position.size);
      CHECK(rcl_publish(&out, &commands, NULL));
    }
    rcl_reset_error();
  }
  return 0;
}

static const rosidl_message_type_support_t *type_support(const char *package, const char *name) {
  char library[256], symbol[256];
  snprintf(library, sizeof library, "lib%s__rosidl_typesupport_c.so", package);
  snprintf(symbol, sizeof symbol, "rosidl_typesupport_c__get_message_type_support_handle__%s__msg__%s",
           package, name);
  void *handle = dlopen(library, RTLD_NOW);
  const rosidl_message_type_support_t *(*get)(void) = handle ? dlsym(handle, symbol) : NULL;
  if (!get) {
    fprintf(stderr, "no %s in %s\n", symbol, library);
    exit(1);
  }
  return get();
}

static int listen(int count, char **words) {
  static rcl_subscription_t subscriptions[MOST];
  begin("c_listener", "/");
  for (int i = 0; i < count; i++) {
    const char *topic = strtok(words[i], ","), *package = strtok(NULL, ",");
    subscriptions[i] = subscribe(type_support(package, strtok(NULL, ",")), topic, 1, 10);
  }
  rcl_wait_set_t set = wait_set(count);
  rmw_message_info_t info;
  rcl_serialized_message_t message = rmw_get_zero_initialized_serialized_message();
  rcl_allocator_t allocator = rcl_get_default_allocator();
  CHECK(rmw_serialized_message_init(&message, 1024, &allocator));
  while (!stopped) {
    if (!wait_for(&set, subscriptions, count)) continue;
    for (int i = 0; i < count; i++)
      while (rcl_take_serialized_message(&subscriptions[i], &message, &info, NULL) == RCL_RET_OK) {
      }
    rcl_reset_error();
  }
  return 0;
}

static rcl_subscription_t answers[MOST];
static int targets;
static volatile int current; /* target of this block */
static volatile long arrived;
static int64_t sent_at[LONGEST], came_at[LONGEST];

static void *receive(void *nothing) {
  rcl_wait_set_t set = wait_set(targets);
  Commands commands;
  rmw_message_info_t info;
  std_msgs__msg__Float64MultiArray__init(&commands);
  while (!stopped) {
    if (!wait_for(&set, answers, targets)) continue;
    int64_t t = now(CLOCK_MONOTONIC);
    for (int i = 0; i < targets; i++)
      while (rcl_take(&answers[i], &commands, &info, NULL) == RCL_RET_OK)
        if (i == current && arrived < LONGEST) came_at[arrived++] = t;
    rcl_reset_error();
  }
  return nothing;
}

static int64_t cpu_of(int pid) { /* ns, of all threads */
  char path[300];
  int64_t total = 0, used;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (!file) continue;
    if (fscanf(file, "%ld", &used) == 1) total += used;
    fclose(file);
  }
  closedir(folder);
  return total;
}

static void name_joints(JointState *state, char *names) {
  size_t n = 1;
  for (char *c = names; *c; c++) n += *c == ',';
  sensor_msgs__msg__JointState__init(state);
  rosidl_runtime_c__String__Sequence__fini(&state->name);
  rosidl_runtime_c__String__Sequence__init(&state->name, n);
  char *name = strtok(names, ",");
  for (size_t i = 0; i < n; i++, name = strtok(NULL, ","))
    rosidl_runtime_c__String__assign(&state->name.data[i], name);
  rosidl_runtime_c__double__Sequence__init(&state->position, n);
  rosidl_runtime_c__double__Sequence__init(&state->velocity, n);
  rosidl_runtime_c__double__Sequence__init(&state->effort, n);
}

static long send_block(rcl_publisher_t *out, JointState *state, double rate, double seconds) {
  int64_t period = (int64_t)(SECOND / rate), start = now(CLOCK_MONOTONIC);
  long count = (long)(rate * seconds);
  for (long i = 0; i < count && !stopped; i++) {
    pause_until(start + i * period);
    double t = fmod(now(CLOCK_MONOTONIC) / (double)SECOND, 1e4); /* at any rate the same motion */
    for (size_t j = 0; j < state->position.size; j++) {
      state->position.data[j] = 0.3 + 0.1 * sin(t * (j + 1));
      state->velocity.data[j] = 0.1;
      state->effort.data[j] = 0.5;
    }
    int64_t stamp = now(CLOCK_REALTIME);
    state->header.stamp.sec = (int32_t)(stamp / SECOND);
    state->header.stamp.nanosec = (uint32_t)(stamp % SECOND);
    sent_at[i] = now(CLOCK_MONOTONIC);
    CHECK(rcl_publish(out, state, NULL));
  }
  return count;
}

static void print_block(int target, long sent, int64_t cpu) {
  printf("{\"target\": %d, \"sent\": %ld, \"got\": %ld, \"cpu_ns\": %ld, \"us\": [", target, sent,
         arrived, (long)cpu);
  for (long i = 0; arrived == sent && i < sent; i++)
    printf("%s%.1f", i ? "," : "", (came_at[i] - sent_at[i]) / 1e3);
  printf("]}\n");
  fflush(stdout);
}

static int drive(int count, char **words) {
  static rcl_publisher_t out[MOST];
  int pids[MOST];
  JointState state;
  begin("c_driver", "/");
  name_joints(&state, words[0]);
  double rate = atof(words[1]), seconds = atof(words[2]) / 1e3;
  int rounds = atoi(words[3]);
  targets = count - 4;
  if (rate * seconds > LONGEST) return fprintf(stderr, "a block is too long\n"), 2;
  for (int i = 0; i < targets; i++) {
    char *in = strtok(words[4 + i], ","), *back = strtok(NULL, ",");
    pids[i] = atoi(strtok(NULL, ","));
    out[i] = advertise(joint_state_type, in);
    answers[i] = subscribe(commands_type, back, 1, 100);
  }
  current = -1;
  pthread_t receiver;
  pthread_create(&receiver, NULL, receive, NULL);
  for (int i = 0; i < targets; i++) /* until commands come; a node asks first who takes them */
    for (current = -1, arrived = 0; arrived == 0 && !stopped;) {
      current = i;
      send_block(&out[i], &state, 200.0, 0.1);
    }
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < targets && !stopped; i++) {
      current = -1;
      arrived = 0;
      int64_t used = cpu_of(pids[i]);
      current = i;
      send_block(&out[i], &state, 1000.0, 0.02); /* settles what waits for joint states */
      pause_until(now(CLOCK_MONOTONIC) + SECOND / 20);
      arrived = 0;
      used = cpu_of(pids[i]);
      long sent = send_block(&out[i], &state, rate, seconds);
      pause_until(now(CLOCK_MONOTONIC) + SECOND / 20);
      print_block(i, sent, cpu_of(pids[i]) - used);
    }
  stopped = 1;
  pthread_join(receiver, NULL);
  return 0;
}

int main(int count, char **words) {
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  if (count == 3 && !strcmp(words[1], "relay")) return relay(words[2]);
  if (count > 2 && !strcmp(words[1], "listen")) return listen(count - 2, words + 2);
  if (count > 6 && !strcmp(words[1], "drive")) return drive(count - 2, words + 2);
  fprintf(stderr, "relay NAMESPACE | listen TOPIC,PACKAGE,MESSAGE ... | "
                  "drive JOINTS RATE BLOCK_MS ROUNDS IN,OUT,PID ...\n");
  return 2;
}
