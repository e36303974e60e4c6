//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CJAVASCRIPTCORE_LIBRARY_H
#define GODWIT_CJAVASCRIPTCORE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// The functions of JavaScriptCore's C interface that Godwit uses, called through a table. The types are opaque pointers
// in the library's own headers too; the table's members have the library's names without their prefix.

#if defined(__APPLE__)
#include <JavaScriptCore/JavaScriptCore.h>
#else
typedef const struct OpaqueJSContextGroup *JSContextGroupRef;
typedef const struct OpaqueJSContext *JSContextRef;
typedef struct OpaqueJSContext *JSGlobalContextRef;
typedef struct OpaqueJSString *JSStringRef;
typedef struct OpaqueJSClass *JSClassRef;
typedef const struct OpaqueJSValue *JSValueRef;
typedef struct OpaqueJSValue *JSObjectRef;
typedef JSValueRef (*JSObjectCallAsFunctionCallback)(JSContextRef, JSObjectRef, JSObjectRef, size_t, const JSValueRef[],
                                                     JSValueRef *);
#endif

typedef bool (*godwit_js_should_terminate)(JSContextRef, void *);

#define GODWIT_JS_FUNCTIONS(F)                                                                                        \
    F(JSContextGroupRef, ContextGroupCreate, (void))                                                                  \
    F(void, ContextGroupRelease, (JSContextGroupRef))                                                                 \
    F(void, ContextGroupSetExecutionTimeLimit, (JSContextGroupRef, double, godwit_js_should_terminate, void *))       \
    F(JSGlobalContextRef, GlobalContextCreateInGroup, (JSContextGroupRef, JSClassRef))                                \
    F(void, GlobalContextRelease, (JSGlobalContextRef))                                                               \
    F(JSValueRef, EvaluateScript, (JSContextRef, JSStringRef, JSObjectRef, JSStringRef, int, JSValueRef *))           \
    F(JSStringRef, StringCreateWithUTF8CString, (const char *))                                                       \
    F(void, StringRelease, (JSStringRef))                                                                             \
    F(size_t, StringGetMaximumUTF8CStringSize, (JSStringRef))                                                         \
    F(size_t, StringGetUTF8CString, (JSStringRef, char *, size_t))                                                    \
    F(JSValueRef, ValueMakeString, (JSContextRef, JSStringRef))                                                       \
    F(JSValueRef, ValueMakeUndefined, (JSContextRef))                                                                 \
    F(JSStringRef, ValueToStringCopy, (JSContextRef, JSValueRef, JSValueRef *))                                       \
    F(void, ValueProtect, (JSContextRef, JSValueRef))                                                                 \
    F(void, ValueUnprotect, (JSContextRef, JSValueRef))                                                               \
    F(JSObjectRef, ValueToObject, (JSContextRef, JSValueRef, JSValueRef *))                                           \
    F(JSObjectRef, ObjectMake, (JSContextRef, JSClassRef, void *))                                                    \
    F(JSObjectRef, ObjectMakeFunctionWithCallback, (JSContextRef, JSStringRef, JSObjectCallAsFunctionCallback))       \
    F(JSValueRef, ObjectGetProperty, (JSContextRef, JSObjectRef, JSStringRef, JSValueRef *))                          \
    F(void, ObjectSetProperty, (JSContextRef, JSObjectRef, JSStringRef, JSValueRef, unsigned, JSValueRef *))          \
    F(JSValueRef, ObjectCallAsFunction, (JSContextRef, JSObjectRef, JSObjectRef, size_t, const JSValueRef[], JSValueRef *))

struct godwit_js_library {
#define F(result, name, parameters) result(*name) parameters;
    GODWIT_JS_FUNCTIONS(F)
#undef F
};

/// Filled by `godwit_js_load`.
extern struct godwit_js_library js;

#endif
