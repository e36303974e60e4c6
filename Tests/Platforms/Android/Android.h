//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEST_ANDROID_H
#define GODWIT_TEST_ANDROID_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// Declarations that Godwit uses of the C library of Android (Bionic, level 28, 64-bit ARM), written from the manual pages of Linux.

// Headers of the compiler name it.
typedef struct _IO_FILE FILE;

typedef long ssize_t;
typedef int64_t off_t;
typedef int32_t pid_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef uint32_t mode_t;
typedef uint32_t nlink_t;
typedef uint64_t dev_t;
typedef uint64_t ino_t;
typedef long time_t;
typedef long suseconds_t;
typedef uint32_t useconds_t;
typedef unsigned long rlim_t;
typedef int32_t clockid_t;
typedef uint16_t sa_family_t;
typedef uint32_t socklen_t;

struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct stat {
    dev_t st_dev;
    ino_t st_ino;
    mode_t st_mode;
    nlink_t st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    unsigned long padding1;
    off_t st_size;
    int st_blksize, padding2;
    long st_blocks;
    struct timespec st_atim, st_mtim, st_ctim;
    unsigned int unused[2];
};
struct statvfs { unsigned long f_bsize, f_frsize; uint64_t f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax; uint32_t reserved[6]; };
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_rest[13]; };
struct sockaddr { sa_family_t sa_family; char sa_data[14]; };

typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
typedef struct { unsigned long words[1]; } sigset_t;
typedef struct { int si_signo, si_errno, si_code; void *si_addr; } siginfo_t;
struct sigaction {
    int sa_flags;
    union { void (*sa_handler)(int); void (*sa_sigaction)(int, siginfo_t *, void *); };
    sigset_t sa_mask;
    void (*sa_restorer)(void);
};
int sigemptyset(sigset_t *);

typedef long pthread_t;
typedef struct { long opaque[7]; } pthread_attr_t;
typedef struct { int32_t opaque[10]; } pthread_mutex_t;
typedef long pthread_mutexattr_t;
typedef int pthread_once_t;
typedef int pthread_key_t;
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CREATE_DETACHED 1

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define O_RDONLY 00
#define O_WRONLY 01
#define O_RDWR 02
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_DIRECTORY 040000
#define O_NOFOLLOW 0100000
#define O_CLOEXEC 02000000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC 1
#define SEEK_END 2
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define PROT_READ 1
#define MAP_PRIVATE 2
#define MAP_FAILED ((void *)-1)
#define PATH_MAX 4096
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 7
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16
#define SOCK_STREAM 1
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 39
#define _SC_NPROCESSORS_ONLN 97
#define RTLD_NOW 2
#define RTLD_LOCAL 0
#define RTLD_DEFAULT ((void *)0)

#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGTERM 15
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define ENAMETOOLONG 36
#define ENOSYS 38
#define ELOOP 40
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 95
#define ENOBUFS 105
#define EDQUOT 122
#define ENOKEY 126
#define EKEYEXPIRED 127
#define EKEYREVOKED 128

// keyctl(2)
#define KEY_SPEC_THREAD_KEYRING -1
#define KEY_SPEC_SESSION_KEYRING -3
#define KEY_SPEC_USER_KEYRING -4
#define KEYCTL_GET_KEYRING_ID 0
#define KEYCTL_SETPERM 5
#define KEYCTL_LINK 8
#define KEYCTL_UNLINK 9
#define KEYCTL_SEARCH 10
#define KEYCTL_READ 11
#define SYS_add_key 217
#define SYS_keyctl 219
long syscall(long, ...);

int *__errno(void);
#define errno (*__errno())

#include <Posix.h>

int socket(int, int, int);
int bind(int, const struct sockaddr *, socklen_t);
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int pthread_create(pthread_t *_Nonnull restrict, const pthread_attr_t *_Nullable restrict,
                   void *_Nullable (*_Nonnull)(void *_Nullable), void *_Nullable restrict);
int pthread_detach(pthread_t);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);

#endif
