/* What CppADCodeGen generates, as a function of the input and the output. */

struct LangCAtomicFun {
  void *model;
  int (*forward)();
  int (*reverse)();
};

void generated_forward_zero(double const *const *in, double *const *out, struct LangCAtomicFun);

void generated(const double *x, double *y) {
  struct LangCAtomicFun none = {0, 0, 0};
  generated_forward_zero(&x, &y, none);
}
