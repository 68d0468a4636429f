/* Runs a program and lets one of its system calls fail: the N-th of those that write.
 *
 * usage: fail_nth N FOLDER COMMAND...
 *
 * Calls that write are those that create a file, write to, lock, change, synchronize or close a file in
 * FOLDER (standard error left out), and rename one. The kernel asks this process about each (seccomp's user
 * notifications, Linux 5.5), and the N-th gets no further: a write or a new file fails with ENOSPC, all
 * others with EIO. The last line on standard error is "fail_nth: " and the name of the call, or "fail_nth:
 * none" if there were fewer. The exit status is the program's; 128 and more for a signal; 77 if the kernel
 * cannot do this. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT 77

typedef struct watched_call {
    int number;
    const char *name;
    bool has_file;   /* the first argument is a descriptor; else the call is rename or open */
    int flags_index; /* the argument with O_CREAT, or -1 */
    int error;
} watched_call;

static const watched_call calls[] = {
    {SYS_write, "write", true, -1, ENOSPC},     {SYS_writev, "writev", true, -1, ENOSPC},
    {SYS_pwrite64, "pwrite", true, -1, ENOSPC}, {SYS_ftruncate, "ftruncate", true, -1, ENOSPC},
    {SYS_fchmod, "fchmod", true, -1, EIO},      {SYS_flock, "flock", true, -1, EIO},
    {SYS_fsync, "fsync", true, -1, EIO},        {SYS_fdatasync, "fdatasync", true, -1, EIO},
    {SYS_close, "close", true, -1, EIO},        {SYS_openat, "open", false, 2, ENOSPC},
#ifdef SYS_rename
    {SYS_rename, "rename", false, -1, EIO},
#endif
    {SYS_renameat2, "rename", false, -1, EIO},
#ifdef SYS_renameat
    {SYS_renameat, "rename", false, -1, EIO},
#endif
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Installs a filter that asks about the watched calls; returns the descriptor of the questions. */
static int watch(void)
{
    struct sock_filter filter[CALLS + 3];
    int used = 0;
    filter[used++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++)
        filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number,
                                                      (unsigned char)(CALLS - i), 0);
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {(unsigned short)used, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* Sends a descriptor, or takes one if `descriptor` is -1. */
static int pass(int channel, int descriptor)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (descriptor < 0) {
        if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == NULL)
            return -1;
        memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
        return descriptor;
    }
    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    return sendmsg(channel, &message, 0) == 1 ? 0 : -1;
}

/* Reads the path of a file that a call creates. */
static bool read_path(const struct seccomp_notif *asked, char *path, size_t bytes)
{
    struct iovec here = {path, bytes - 1};
    struct iovec there = {(void *)(uintptr_t)asked->data.args[1], bytes - 1};
    ssize_t length = process_vm_readv((pid_t)asked->pid, &here, 1, &there, 1, 0);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Tells whether a call writes in the folder. */
static const watched_call *counted(const struct seccomp_notif *asked, const char *folder)
{
    const watched_call *call = calls;
    while (call->number != asked->data.nr)
        call++;
    char link[64], path[512];
    if (call->flags_index >= 0) {
        bool creates = (asked->data.args[call->flags_index] & O_CREAT) != 0;
        return creates && read_path(asked, path, sizeof path) && strncmp(path, folder, strlen(folder)) == 0
                   ? call
                   : NULL;
    }
    if (!call->has_file)
        return call;
    int file = (int)asked->data.args[0];
    snprintf(link, sizeof link, "/proc/%u/fd/%d", asked->pid, file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (file == STDERR_FILENO || length < 0)
        return NULL;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0 ? call : NULL;
}

/* Answers the questions until the program ends; returns the call that failed, or null. */
static const watched_call *answer(int questions, long n, const char *folder, pid_t child, int *status)
{
    const watched_call *failed = NULL;
    long count = 0;
    for (;;) {
        struct pollfd ready = {.fd = questions, .events = POLLIN};
        if (poll(&ready, 1, -1) < 0)
            break;
        if ((ready.revents & POLLIN) == 0)
            break; /* no process is left to ask */
        struct seccomp_notif asked = {0};
        if (ioctl(questions, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
            continue;
        const watched_call *call = counted(&asked, folder);
        struct seccomp_notif_resp reply = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        if (call != NULL && ++count == n) {
            failed = call;
            reply = (struct seccomp_notif_resp){.id = asked.id, .error = -call->error};
        }
        (void)ioctl(questions, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
    waitpid(child, status, 0);
    return failed;
}

int main(int argc, char **argv)
{
    int channel[2], status = 0;
    if (argc < 4 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        return CANNOT;
    pid_t child = fork();
    if (child == 0) {
        close(channel[0]); /* before the filter, which would ask about it */
        int questions = watch();
        if (questions < 0 || pass(channel[1], questions) != 0)
            _exit(CANNOT);
        fcntl(questions, F_SETFD, FD_CLOEXEC);
        execvp(argv[3], argv + 3);
        _exit(CANNOT);
    }
    close(channel[1]);
    int questions = child > 0 ? pass(channel[0], -1) : -1;
    if (questions < 0) {
        fputs("fail_nth: this kernel does not ask about system calls\n", stderr);
        return CANNOT;
    }
    const watched_call *failed = answer(questions, strtol(argv[1], NULL, 10), argv[2], child, &status);
    fprintf(stderr, "fail_nth: %s\n", failed != NULL ? failed->name : "none");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
