#include "harness/drive/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LOG_BYTES = 1 << 20, RECORD_FD = 3, ACK_FD = 4, INPUT_FD = 5 };
enum { EXIT_NOT_STARTED = 127 };

/* What a child gets: where it writes, and what it reads. */
struct ends {
    int record, ack, out, error, input;
};

extern char **environ;

static int is_launcher_variable(const char *variable)
{
    static const char *const prefixes[] = {"OMPI_",       "PMIX_",        "PMI_",
                                           "SLURM_STEP",  "SLURM_PROCID", "SLURM_LOCALID",
                                           "SLURM_TASK_", "SLURM_GTIDS"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

static char **scrubbed_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **variables = malloc((count + 1) * sizeof(*variables));
    for (size_t i = 0; variables && i < count; i++)
        if (!is_launcher_variable(environ[i]))
            variables[kept++] = environ[i];
    if (variables)
        variables[kept] = NULL;
    return variables;
}

/* Moves the descriptors to where the child expects them. Runs between fork and exec. */
static void become(const char *const *argv, char **variables, const struct ends *ends, pid_t parent)
{
    int record = fcntl(ends->record, F_DUPFD, 10), ack = fcntl(ends->ack, F_DUPFD, 10);
    int out = fcntl(ends->out, F_DUPFD, 10), error = fcntl(ends->error, F_DUPFD, 10);
    int input = fcntl(ends->input, F_DUPFD, 10), null = open("/dev/null", O_RDONLY);
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_NOT_STARTED); /* it died in between */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    dup2(record, RECORD_FD);
    dup2(ack, ACK_FD);
    dup2(input, INPUT_FD);
    for (int fd = INPUT_FD + 1; fd < 64; fd++)
        close(fd);
    execve(argv[0], (char *const *)argv, variables);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

static enum status spawn(const char *const *argv, const struct ends *ends, pid_t *pid)
{
    pid_t parent = getpid();
    char **variables = scrubbed_environment();
    if (!variables)
        return FAIL(STATUS_NO_MEMORY, "no memory to start %s", argv[0]);
    *pid = fork();
    if (*pid == 0)
        become(argv, variables, ends, parent);
    free(variables);
    return *pid > 0 ? STATUS_OK
                    : FAIL(STATUS_CHILD, "cannot start %s: %s", argv[0], strerror(errno));
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

enum status child_start(const char *const *argv, int input, struct child *child)
{
    int record[2] = {-1, -1}, ack[2] = {-1, -1}, log = -1;
    if (pipe2(record, O_CLOEXEC) != 0 || pipe2(ack, O_CLOEXEC) != 0 ||
        (log = memfd_create("ridge-log", MFD_CLOEXEC)) < 0) {
        close_all(record, 2);
        close_all(ack, 2);
        return FAIL(STATUS_CHILD, "cannot make pipes for %s: %s", argv[0], strerror(errno));
    }
    const struct ends ends = {record[1], ack[0], log, log, input};
    enum status status = spawn(argv, &ends, &child->pid);
    close(record[1]);
    close(ack[0]);
    if (status != STATUS_OK) {
        const int rest[] = {record[0], ack[1], log};
        close_all(rest, 3);
        return status;
    }
    fcntl(record[0], F_SETFL, O_NONBLOCK);
    child->record_fd = record[0];
    child->ack_fd = ack[1];
    child->log_fd = log;
    child->end_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
    return STATUS_OK;
}

int child_wait(struct child *child)
{
    int wait_status = 0;
    siginfo_t end;
    while (child->pid > 0 && waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR)
        ;
    if (child->pid > 0)
        kill(-child->pid, SIGKILL); /* while its number is not free for others */
    while (child->pid > 0 && waitpid(child->pid, &wait_status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    return wait_status;
}

void child_kill(struct child *child)
{
    if (child->pid <= 0)
        return;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    child_wait(child);
}

static off_t size_of(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 ? file.st_size : 0;
}

double child_log_bytes(const struct child *child)
{
    return (double)size_of(child->log_fd);
}

static char *read_part(int fd, char *to, off_t begin, size_t length)
{
    ssize_t got = pread(fd, to, length, begin);
    return to + (got > 0 ? got : 0);
}

static char *read_all(int fd, off_t size)
{
    char *text = malloc((size_t)size + 1);
    if (text)
        *read_part(fd, text, 0, (size_t)size) = '\0';
    return text;
}

/* The last words say most about a crash, the first about what was begun. */
static char *read_both_ends(int fd, off_t size)
{
    enum { HALF = MOST_LOG_BYTES / 2, REMARK_BYTES = 80 };
    char *text = malloc(2 * HALF + REMARK_BYTES);
    if (!text)
        return NULL;
    char *end = read_part(fd, text, 0, HALF);
    end += snprintf(end, REMARK_BYTES, "\n... %lld bytes are left out here ...\n",
                    (long long)size - 2 * HALF);
    *read_part(fd, end, size - HALF, HALF) = '\0';
    return text;
}

char *child_log(const struct child *child)
{
    off_t size = size_of(child->log_fd);
    return size > MOST_LOG_BYTES ? read_both_ends(child->log_fd, size)
                                 : read_all(child->log_fd, size);
}

void child_close(struct child *child)
{
    close(child->record_fd);
    close(child->ack_fd);
    close(child->log_fd);
    if (child->end_fd >= 0)
        close(child->end_fd);
}

const char *child_end_text(int wait_status, char *buffer, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(buffer, size, "was killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(buffer, size, "exited with code %d", WEXITSTATUS(wait_status));
    return buffer;
}

static enum status judge_answer(const char *program, int wait_status, char *said)
{
    char end[96];
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return STATUS_OK;
    said[strcspn(said, "\n")] = '\0';
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == status_exit_code(STATUS_SKIP))
        return FAIL(STATUS_SKIP, "%s", said);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == status_exit_code(STATUS_BAD_ARGUMENT))
        return FAIL(STATUS_BAD_ARGUMENT, "%s", said);
    return FAIL(STATUS_CHILD, "%s %s%s%s", program, child_end_text(wait_status, end, sizeof(end)),
                *said ? ": " : "", said);
}

enum status child_ask(const char *const *argv, char **output)
{
    int out = memfd_create("ridge-out", MFD_CLOEXEC),
        error = memfd_create("ridge-err", MFD_CLOEXEC);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct child child = {0};
    const struct ends ends = {null, null, out, error, null};
    enum status status = out >= 0 && error >= 0 && null >= 0
                             ? spawn(argv, &ends, &child.pid)
                             : FAIL(STATUS_CHILD, "no descriptor left to ask %s", argv[0]);
    *output = NULL;
    if (status == STATUS_OK) {
        int wait_status = child_wait(&child);
        char *said = read_all(error, size_of(error));
        *output = read_all(out, size_of(out));
        status = said && *output ? judge_answer(argv[0], wait_status, said)
                                 : FAIL(STATUS_NO_MEMORY, "no memory for what %s says", argv[0]);
        free(said);
    }
    const int opened[] = {out, error, null};
    close_all(opened, 3);
    if (status != STATUS_OK) {
        free(*output);
        *output = NULL;
    }
    return status;
}
