//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "cjavascriptcore.h"
#include "library.h"

#include <stdlib.h>
#include <string.h>

struct godwit_js_group {
    JSContextGroupRef group;
    /// Whether a call ended at its time limit.
    bool expired;
    /// The context of the running call, for the functions that it calls back.
    godwit_js_context *current;
};

struct godwit_js_context {
    godwit_js_group *group;
    JSGlobalContextRef context;
    /// The runtime's functions.
    JSObjectRef functions;
    struct godwit_js_host host;
};

/// The group that runs on this thread: JavaScriptCore passes no custom pointer to a callback.
static _Thread_local godwit_js_group *running;

static JSStringRef string(const char *text) { return js.StringCreateWithUTF8CString(text); }

static char *copy(JSContextRef context, JSValueRef value, size_t *length) {
    *length = 0;
    JSStringRef text = js.ValueToStringCopy(context, value, NULL);
    if (text == NULL) return NULL;
    size_t capacity = js.StringGetMaximumUTF8CStringSize(text);
    char *bytes = malloc(capacity);
    if (bytes != NULL) {
        size_t written = js.StringGetUTF8CString(text, bytes, capacity);
        *length = written == 0 ? 0 : written - 1;
    }
    js.StringRelease(text);
    return bytes;
}

// MARK: Groups

godwit_js_group *godwit_js_group_create(void) {
    godwit_js_group *group = calloc(1, sizeof *group);
    if (group != NULL) group->group = js.ContextGroupCreate();
    return group;
}

void godwit_js_group_free(godwit_js_group *group) {
    js.ContextGroupRelease(group->group);
    free(group);
}

static bool expire(JSContextRef context, void *group) {
    (void)context;
    ((godwit_js_group *)group)->expired = true;
    return true;
}

void godwit_js_group_set_time_limit(godwit_js_group *group, double seconds) {
    js.ContextGroupSetExecutionTimeLimit(group->group, seconds, expire, group);
}

// MARK: Calls to the host

static JSValueRef log_line(JSContextRef context, JSObjectRef function, JSObjectRef self, size_t count,
                           const JSValueRef arguments[], JSValueRef *exception) {
    (void)function, (void)self, (void)exception;
    struct godwit_js_host host = running->current->host;
    size_t length;
    char *line = count > 0 ? copy(context, arguments[0], &length) : NULL;
    if (line != NULL) host.log(host.info, line, length);
    free(line);
    return js.ValueMakeUndefined(context);
}

static JSValueRef ask(JSContextRef context, JSObjectRef function, JSObjectRef self, size_t count,
                      const JSValueRef arguments[], JSValueRef *exception) {
    (void)function, (void)self;
    struct godwit_js_host host = running->current->host;
    size_t length;
    char *question = count > 0 ? copy(context, arguments[0], &length) : NULL;
    char *answer = question == NULL ? NULL : host.ask(host.info, question, length);
    free(question);
    JSStringRef text = string(answer == NULL ? "nobody answers" : answer);
    JSValueRef value = js.ValueMakeString(context, text);
    js.StringRelease(text);
    if (answer == NULL) *exception = value;
    free(answer);
    return value;
}

static void add(JSContextRef context, JSObjectRef object, const char *name, JSObjectCallAsFunctionCallback function) {
    JSStringRef text = string(name);
    js.ObjectSetProperty(context, object, text, js.ObjectMakeFunctionWithCallback(context, text, function), 0, NULL);
    js.StringRelease(text);
}

// MARK: Contexts

/// Evaluates the runtime's text and calls the resulting function.
static JSValueRef start(JSContextRef context, const char *runtime, JSValueRef *exception) {
    JSStringRef text = string(runtime);
    JSValueRef function = js.EvaluateScript(context, text, NULL, NULL, 1, exception);
    js.StringRelease(text);
    if (*exception != NULL) return NULL;
    JSObjectRef object = js.ValueToObject(context, function, exception);
    if (*exception != NULL) return NULL;
    JSObjectRef host = js.ObjectMake(context, NULL, NULL);
    add(context, host, "log", log_line);
    add(context, host, "ask", ask);
    JSValueRef arguments[] = {host};
    return js.ObjectCallAsFunction(context, object, NULL, 1, arguments, exception);
}

godwit_js_context *godwit_js_context_create(godwit_js_group *group, const char *runtime, struct godwit_js_host host,
                                            char **error) {
    godwit_js_context *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->group = group;
    made->host = host;
    made->context = js.GlobalContextCreateInGroup(group->group, NULL);
    godwit_js_context *before = group->current;
    running = group;
    group->current = made;
    JSValueRef exception = NULL;
    JSValueRef functions = start(made->context, runtime, &exception);
    if (exception == NULL) made->functions = js.ValueToObject(made->context, functions, &exception);
    group->current = before;
    if (exception != NULL) {
        size_t length;
        *error = copy(made->context, exception, &length);
        js.GlobalContextRelease(made->context);
        free(made);
        return NULL;
    }
    js.ValueProtect(made->context, made->functions);
    return made;
}

void godwit_js_context_free(godwit_js_context *context) {
    js.ValueUnprotect(context->context, context->functions);
    js.GlobalContextRelease(context->context);
    free(context);
}

// MARK: Calls

/// The maximum number of arguments of a function of the runtime.
enum { argumentsMax = 8 };

static JSValueRef call(godwit_js_context *context, const char *function, const char *const *arguments, size_t count,
                       JSValueRef *exception) {
    JSStringRef name = string(function);
    JSValueRef property = js.ObjectGetProperty(context->context, context->functions, name, exception);
    js.StringRelease(name);
    if (*exception != NULL) return NULL;
    JSObjectRef object = js.ValueToObject(context->context, property, exception);
    if (*exception != NULL) return NULL;
    JSValueRef values[argumentsMax];
    for (size_t index = 0; index < count; index++) {
        JSStringRef text = string(arguments[index]);
        values[index] = js.ValueMakeString(context->context, text);
        js.StringRelease(text);
    }
    return js.ObjectCallAsFunction(context->context, object, NULL, count, values, exception);
}

struct godwit_js_answer godwit_js_call(godwit_js_context *context, const char *function, const char *const *arguments,
                                       size_t count) {
    struct godwit_js_answer answer = {0};
    godwit_js_group *group = context->group;
    running = group;
    group->current = context;
    group->expired = false;
    JSValueRef exception = NULL;
    JSValueRef value = call(context, function, arguments, count < argumentsMax ? count : argumentsMax, &exception);
    answer.failed = exception != NULL;
    answer.expired = group->expired;
    if (!answer.expired) answer.text = copy(context->context, answer.failed ? exception : value, &answer.length);
    answer.failed = answer.failed || answer.text == NULL;
    group->current = NULL;
    return answer;
}
