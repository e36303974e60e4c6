// Confines itself as a process for functions does, and says which calls of the system still work.

#define _GNU_SOURCE
#include "CWorker.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRY(name, call) printf("%s %s\n", name, (long)(call) < 0 ? "refused" : "works")

static void *begin(void *given) { return given; }

static int thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, begin, NULL) == 0 && pthread_join(thread, NULL) == 0 ? 0 : -1;
}

static int memory(void) {
    void *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : munmap(memory, 65536);
}

static int time_zone(int hour) {
    time_t now = 0;
    struct tm local;
    return localtime_r(&now, &local) != NULL && local.tm_hour == hour ? 0 : -1;
}

int main(void) {
    int file = open("file", O_RDWR | O_CREAT, 0600), ends[2];
    mkdir("folder", 0700);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    time_t now = 0;
    int hour = localtime(&now)->tm_hour, parent = getppid();
    char bytes[8] = {0};
    struct stat status;
    struct msghdr message = {0};
    struct rlimit limit = {9, 9};
    if (godwit_confine() != 0) return 2;
    TRY("truncate", truncate("file", 0));
    TRY("ftruncate", ftruncate(file, 0));
    TRY("renameat", syscall(SYS_renameat, AT_FDCWD, "file", AT_FDCWD, "other"));
    TRY("rmdir", rmdir("folder"));
    TRY("mknod", mknod("pipe", S_IFIFO | 0600, 0));
    TRY("open", open("/etc/passwd", O_RDONLY));
    TRY("stat", stat("/etc/passwd", &status));
    TRY("readlink", readlink("/etc/localtime", bytes, sizeof bytes));
    TRY("chdir", chdir("/"));
    TRY("keyctl", syscall(SYS_keyctl, 0, -3, 0));
    TRY("add_key", syscall(SYS_add_key, "user", "a", "b", 1, -3));
    TRY("tgkill of another", syscall(SYS_tgkill, parent, parent, 0));
    TRY("tkill", syscall(SYS_tkill, getpid(), 0));
    TRY("kill", kill(parent, 0));
    TRY("unshare", unshare(CLONE_NEWUSER));
    TRY("clone of a process", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    TRY("clone3", syscall(SYS_clone3, NULL, 0));
    TRY("userfaultfd", syscall(SYS_userfaultfd, 0));
    TRY("socket", socket(AF_INET, SOCK_STREAM, 0));
    TRY("sendmsg", sendmsg(ends[0], &message, 0));
    TRY("sendto of an address", sendto(ends[0], "a", 1, 0, (struct sockaddr *)bytes, sizeof bytes));
    TRY("fork", fork());
    TRY("execve", execl("/bin/true", "true", NULL));
    TRY("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    TRY("process_vm_readv", syscall(SYS_process_vm_readv, parent, NULL, 0, NULL, 0, 0));
    TRY("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
    TRY("prctl of another kind", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    TRY("setpriority of another", setpriority(PRIO_PROCESS, (id_t)parent, 5));
    TRY("memfd_create", memfd_create("a", 0));
    TRY("io_uring_setup", syscall(SYS_io_uring_setup, 1, NULL));
    printf("now what works\n");
    TRY("send", send(ends[0], "a", 1, MSG_NOSIGNAL));
    TRY("read", read(ends[1], bytes, 1));
    TRY("thread", thread());
    TRY("memory", memory());
    TRY("tgkill", syscall(SYS_tgkill, getpid(), getpid(), 0));
    TRY("name", prctl(PR_SET_NAME, "a", 0, 0, 0));
    TRY("limit", getrlimit(RLIMIT_STACK, &limit));
    TRY("time zone", time_zone(hour));
    return 0;
}
