/*
 * Stub of Pyxis as a SPANK plug-in: --container-image=FILE runs each task in the files of a squashfs image, which
 * the stub of enroot has unpacked for the job's user. It only changes the root folder: no user namespace, no mounts,
 * no registries, no GPU libraries.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(pyxis, 1)

static char image[PATH_MAX];
static char rootfs[PATH_MAX];
static char name[64];
static uid_t uid;
static gid_t gid;

static int set_image(int value, const char *argument, int remote)
{
	(void)value;
	(void)remote;
	if (argument == NULL || argument[0] != '/' || strlen(argument) >= sizeof(image)) {
		slurm_error("pyxis (emulated): --container-image takes the absolute path of a squashfs image");
		return -1;
	}
	strcpy(image, argument);
	return 0;
}

static struct spank_option option = {
	"container-image", "PATH", "[pyxis, emulated] run the tasks in a squashfs image", 1, 0, set_image
};

/* Run enroot as the job's user; its first line of output is stored in `answer`. */
static int enroot(char *const argv[], char *answer, size_t size)
{
	char home[PATH_MAX + 6] = "HOME=/", buffer[4096];
	char *environment[] = {home, "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
	struct passwd *who = getpwuid(uid);
	size_t length = 0;
	ssize_t got;
	int ends[2], status;
	pid_t child;

	if (who == NULL || pipe(ends) != 0)
		return -1;
	snprintf(home, sizeof(home), "HOME=%s", who->pw_dir);
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		if (initgroups(who->pw_name, gid) != 0 || setresgid(gid, gid, gid) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(126);
		execve("/usr/bin/enroot", argv, environment);
		_exit(127);
	}
	close(ends[1]);
	while ((got = read(ends[0], buffer, sizeof(buffer))) > 0 && length + (size_t)got < size) {
		memcpy(answer + length, buffer, (size_t)got);
		length += (size_t)got;
	}
	close(ends[0]);
	answer[length] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int slurm_spank_init(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	if (spank_context() == S_CTX_LOCAL || spank_context() == S_CTX_ALLOCATOR ||
	    spank_context() == S_CTX_REMOTE)
		return spank_option_register(sp, &option) == ESPANK_SUCCESS ? 0 : -1;
	return 0;
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[])
{
	uint32_t job, step;
	char *create[] = {"enroot", "create", "--name", name, image, NULL};

	(void)argc;
	(void)argv;
	if (spank_context() != S_CTX_REMOTE || image[0] == '\0')
		return 0;
	if (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_GID, &gid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_ID, &job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS) {
		slurm_error("pyxis (emulated): the job is not known");
		return -1;
	}
	snprintf(name, sizeof(name), "pyxis_%u.%u", job, step);
	if (enroot(create, rootfs, sizeof(rootfs)) != 0) {
		slurm_error("pyxis (emulated): enroot create %s failed", image);
		return -1;
	}
	return 0;
}

int slurm_spank_task_init_privileged(spank_t sp, int argc, char *argv[])
{
	(void)sp;
	(void)argc;
	(void)argv;
	if (rootfs[0] == '\0')
		return 0;
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    chroot(rootfs) != 0 || chdir("/") != 0) {
		slurm_error("pyxis (emulated): %s: %s", rootfs, strerror(errno));
		return -1;
	}
	return 0;
}

int slurm_spank_task_exit(spank_t sp, int argc, char *argv[])
{
	static uint32_t ended;
	uint32_t tasks = 1;
	char answer[64], *gone[] = {"enroot", "remove", "--force", name, NULL};

	(void)argc;
	(void)argv;
	if (rootfs[0] == '\0')
		return 0;
	spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &tasks);
	if (++ended >= tasks)
		enroot(gone, answer, sizeof(answer));
	return 0;
}
