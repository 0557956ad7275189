// The loops of bench/transcendental: four numbers a work-item, each made of the one before by the function, which stay where it is
// neither special nor trivial. `plain` is the loop without a function.
#define STEPS(name, next) \
  kernel void name(global float* out, int count) { \
    int id = get_global_id(0); \
    float a = 1.0f + id * 0.001f, b = a + 0.11f, c = a + 0.23f, d = a + 0.37f; \
    for (int n = 0; n < count; n++) a = next(a), b = next(b), c = next(c), d = next(d); \
    out[id] = a + b + c + d; \
  }
#define RCP(x) (__builtin_amdgcn_rcpf(x) + 0.75f)
#define RSQ(x) (__builtin_amdgcn_rsqf(x) + 0.75f)
#define SQRT(x) (__builtin_amdgcn_sqrtf(x) + 0.75f)
#define LOG(x) (__builtin_amdgcn_logf(x) + 1.75f)
#define EXP(x) (__builtin_amdgcn_exp2f(x) * 0.3f)
#define SIN(x) (__builtin_amdgcn_sinf(x) + 0.75f)
#define COS(x) (__builtin_amdgcn_cosf(x) + 0.75f)
#define PLAIN(x) (x * 0.7f + 0.75f)
STEPS(rcp, RCP)
STEPS(rsq, RSQ)
STEPS(sqrt_of, SQRT)
STEPS(log_of, LOG)
STEPS(exp_of, EXP)
STEPS(sin_of, SIN)
STEPS(cos_of, COS)
STEPS(plain, PLAIN)
