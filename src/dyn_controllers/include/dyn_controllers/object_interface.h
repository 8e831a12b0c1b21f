// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Written by dyn_core: test_core.py says how.
#ifndef DYN_CORE_OBJECT_INTERFACE
#define DYN_CORE_OBJECT_INTERFACE 1

#include <stdint.h>

/* An array in C order. */
typedef struct {
    const char *name; /* of an input the argument's, of an output the field's */
    const char *meaning; /* in words */
    const char *unit; /* SI units of its parts */
    int64_t size; /* numbers in it */
    int64_t dimensions; /* how many entries of shape count */
    int64_t shape[3]; /* sizes */
} DynCoreArray;

/* A function; it allocates no memory, has no state and returns nothing. */
typedef struct {
    const char *name; /* the quantity, with its options */
    void (*call)(const double *const *inputs, double *const *outputs); /* takes the addresses of the inputs and of the outputs */
    int64_t input_count; /* arrays that it reads */
    const DynCoreArray *inputs; /* what they are */
    int64_t output_count; /* arrays that it fills */
    const DynCoreArray *outputs; /* what they are */
    const double *test; /* inputs and the outputs that belong to them, one array after the other */
} DynCoreFunction;

/* A joint that has coordinates of its own. */
typedef struct {
    const char *name; /* as the description has it */
    int64_t idx_q; /* where its coordinates begin in q */
    int64_t nq; /* how many it has there */
    int64_t idx_v; /* where they begin in v, efforts and accelerations */
    int64_t nv; /* how many it has there */
} DynCoreJoint;

/* The content of the object. */
typedef struct {
    int64_t interface; /* version of this interface */
    const char *made_by; /* versions of what made it */
    const char *processor; /* level of the processors that run it */
    const char *robot; /* name of the robot */
    const char *description_sha256; /* of the text of the description, in hexadecimal; empty if unknown */
    double gravity[3]; /* acceleration of gravity in the world frame, m/s^2, where it is no input */
    int64_t nq; /* size of a configuration */
    int64_t nv; /* size of a velocity */
    int64_t joint_count; /* joints with coordinates of their own */
    const DynCoreJoint *joints; /* in the order of their coordinates */
    int64_t function_count; /* functions */
    const DynCoreFunction *functions; /* in the order in which they were asked for */
} DynCoreManifest;

#endif
