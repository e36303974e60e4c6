//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The functions of POSIX and C that Godwit uses. The headers that include this file have the types and the constants of their
// systems.

char *getenv(const char *);
char *strerror(int);
char *realpath(const char *restrict, char *restrict);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
_Noreturn void exit(int);
_Noreturn void abort(void);
_Noreturn void _exit(int);
void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
char *strdup(const char *);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
char *strncpy(char *restrict, const char *restrict, size_t);
int snprintf(char *restrict, size_t, const char *restrict, ...);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));

double sin(double);
double cos(double);
double tan(double);
double atan(double);
double atan2(double, double);
double asin(double);
double log(double);
double hypot(double, double);
double cbrt(double);
double floor(double);
double fabs(double);
double sqrt(double);

int open(const char *, int, ...);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
int fcntl(int, int, ...);
off_t lseek(int, off_t, int);
int fsync(int);
int flock(int, int);
int ftruncate(int, off_t);
int access(const char *, int);
int link(const char *, const char *);
int unlink(const char *);
int rename(const char *, const char *);
int stat(const char *restrict, struct stat *restrict);
int lstat(const char *restrict, struct stat *restrict);
int fstat(int, struct stat *);
int statvfs(const char *restrict, struct statvfs *restrict);
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);

pid_t getpid(void);
int kill(pid_t, int);
int raise(int);
int sched_yield(void);
int usleep(useconds_t);
long sysconf(int);
time_t time(time_t *);
int clock_gettime(clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
int getrusage(int, struct rusage *);
void (*signal(int, void (*)(int)))(int);
int sigaction(int, const struct sigaction *restrict, struct sigaction *restrict);
int sigaltstack(const stack_t *restrict, stack_t *restrict);

int inet_pton(int, const char *restrict, void *restrict);

void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dladdr(const void *, Dl_info *);

int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_mutex_init(pthread_mutex_t *restrict, const pthread_mutexattr_t *restrict);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_key_create(pthread_key_t *, void (*)(void *));
void *pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *);
int pthread_once(pthread_once_t *, void (*)(void));
