//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// libcurl is loaded when the first mail is sent: other programs do not wait for its 20 libraries, and a server without
// mail runs without it. The numbers of options are part of libcurl's binary interface, which never changes them.
enum {
    OPTION_UPLOAD = 46,
    OPTION_SSL_VERIFYPEER = 64,
    OPTION_SSL_VERIFYHOST = 81,
    OPTION_SSLVERSION = 32,
    OPTION_NOSIGNAL = 99,
    OPTION_USE_SSL = 119,
    OPTION_TIMEOUT_MS = 155,
    OPTION_CONNECTTIMEOUT_MS = 156,
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_READDATA = 10009,
    OPTION_ERRORBUFFER = 10010,
    OPTION_CAINFO = 10065,
    OPTION_USERNAME = 10173,
    OPTION_PASSWORD = 10174,
    OPTION_MAIL_FROM = 10186,
    OPTION_MAIL_RCPT = 10187,
    OPTION_WRITEFUNCTION = 20011,
    OPTION_READFUNCTION = 20012,
    INFO_RESPONSE_CODE = 0x200002,
    USE_SSL_TRY = 1,
    USE_SSL_ALL = 3,
    SSLVERSION_TLS_1_2 = 6,
    GLOBAL_ALL = 3,
};

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_perform)(void *);
    int (*easy_getinfo)(void *, int, ...);
    void (*easy_cleanup)(void *);
    const char *(*easy_strerror)(int);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
} curl;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)
static const char *const file = "libcurl.4.dylib";
#else
static const char *const file = "libcurl.so.4";
#endif

static void load(void) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) { return; }
#define F(name)                                                     \
    *(void **)&curl.name = dlsym(library, "curl_" #name);           \
    if (curl.name == NULL) { return; }
    F(global_init)
    F(easy_init)
    F(easy_setopt)
    F(easy_perform)
    F(easy_getinfo)
    F(easy_cleanup)
    F(easy_strerror)
    F(slist_append)
    F(slist_free_all)
#undef F
    is_loaded = curl.global_init(GLOBAL_ALL) == 0;
}

struct reader {
    const char *next;
    size_t remaining;
};

static size_t read_message(char *buffer, size_t size, size_t count, void *data) {
    struct reader *reader = data;
    size_t length = size * count < reader->remaining ? size * count : reader->remaining;
    memcpy(buffer, reader->next, length);
    reader->next += length;
    reader->remaining -= length;
    return length;
}

static size_t ignore_replies(char *buffer, size_t size, size_t count, void *data) {
    (void)buffer, (void)data;
    return size * count;
}

int godwit_mail_send(const struct godwit_mail *mail, long *status, char error[GODWIT_MAIL_ERROR_BYTES]) {
    *status = 0;
    error[0] = 0;
    pthread_once(&once, load);
    if (!is_loaded) { return -1; }
    void *handle = curl.easy_init();
    if (handle == NULL) { return -1; }
    struct reader reader = {mail->message, mail->length};
    void *recipients = curl.slist_append(NULL, mail->to);
    curl.easy_setopt(handle, OPTION_ERRORBUFFER, error);
    curl.easy_setopt(handle, OPTION_URL, mail->url);
    curl.easy_setopt(handle, OPTION_NOSIGNAL, 1L);
    curl.easy_setopt(handle, OPTION_TIMEOUT_MS, mail->milliseconds_max);
    curl.easy_setopt(handle, OPTION_CONNECTTIMEOUT_MS, mail->milliseconds_max);
    if (mail->user != NULL) { curl.easy_setopt(handle, OPTION_USERNAME, mail->user); }
    if (mail->password != NULL) { curl.easy_setopt(handle, OPTION_PASSWORD, mail->password); }
    if (mail->authorities != NULL) { curl.easy_setopt(handle, OPTION_CAINFO, mail->authorities); }
    curl.easy_setopt(handle, OPTION_USE_SSL, (long)(mail->requires_tls ? USE_SSL_ALL : USE_SSL_TRY));
    curl.easy_setopt(handle, OPTION_SSLVERSION, (long)SSLVERSION_TLS_1_2);
    curl.easy_setopt(handle, OPTION_SSL_VERIFYPEER, 1L);
    curl.easy_setopt(handle, OPTION_SSL_VERIFYHOST, 2L);
    curl.easy_setopt(handle, OPTION_MAIL_FROM, mail->from);
    curl.easy_setopt(handle, OPTION_MAIL_RCPT, recipients);
    curl.easy_setopt(handle, OPTION_READFUNCTION, read_message);
    curl.easy_setopt(handle, OPTION_READDATA, &reader);
    curl.easy_setopt(handle, OPTION_WRITEFUNCTION, ignore_replies);
    curl.easy_setopt(handle, OPTION_UPLOAD, 1L);
    int code = curl.easy_perform(handle);
    curl.easy_getinfo(handle, INFO_RESPONSE_CODE, status);
    if (code != 0 && error[0] == 0) { snprintf(error, GODWIT_MAIL_ERROR_BYTES, "%s", curl.easy_strerror(code)); }
    curl.slist_free_all(recipients);
    curl.easy_cleanup(handle);
    return code;
}
