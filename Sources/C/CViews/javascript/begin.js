// The environment in which functions of design documents run. These files are joined in the order of runtime.c to one
// function, which is called once in a new context: functions of design documents can access only definitions made with
// `offer`. Texts are passed as JSON. Behaviour: CouchDB 3.5, "Design Documents" and "Query Server".
(function (host) {
    "use strict";

    // Saved here because a function may replace the globals.
    const { parse, stringify } = JSON;
    const { freeze, defineProperty, hasOwn } = Object;
    const { isArray } = Array;
    const evaluate = eval;

    function offer(name, value) {
        defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
    }

    // Removes the means by which a browser's scripts share memory and code.
    for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];

    /// A failure in CouchDB's form, for the client.
    class Failure {
        constructor(error, reason) {
            this.error = error;
            this.reason = reason;
        }
    }

    /// A text as JSON that any reader accepts: a lone half of a surrogate pair is no character and is replaced.
    function text(value) {
        const written = stringify(value);
        if (written === undefined) return "null";
        if (!/\\u[dD][89a-fA-F]/.test(written)) return written;
        return stringify(value, (name, member) => (typeof member === "string" ? member.toWellFormed() : member));
    }

    /// A thrown value as a readable text.
    function described(thrown) {
        if (thrown instanceof Error) return thrown.name + ": " + thrown.message;
        if (typeof thrown === "string") return thrown;
        try {
            return stringify(thrown) ?? String(thrown);
        } catch {
            return String(thrown);
        }
    }

    /// A thrown value as a failure: CouchDB's forms `["error", name, reason]` and `{error, reason}`, or any other
    /// value.
    function failure(thrown, name) {
        if (thrown instanceof Failure) return thrown;
        if (isArray(thrown) && (thrown[0] === "error" || thrown[0] === "fatal")) {
            return new Failure(String(thrown[1]), described(thrown[2]));
        }
        if (thrown && typeof thrown === "object" && thrown.error && thrown.reason) {
            return new Failure(String(thrown.error), described(thrown.reason));
        }
        return new Failure(name ?? thrown?.name ?? "unnamed_error", described(thrown));
    }

    /// Returns the result of `body` as `{answer}`, or its thrown error as `{error, reason}`.
    function answering(body) {
        try {
            return '{"answer":' + text(body()) + "}";
        } catch (thrown) {
            return text(failure(thrown));
        }
    }

    /// Receives each line of `log`. A trial replaces it for a time.
    let takeLine = (line) => host.log(line);

    function log(message) {
        takeLine(typeof message === "string" ? message : described(message));
    }

    offer("log", log);
    offer("isArray", (value) => isArray(value));
    offer("toJSON", (value) => stringify(value));
    offer("sum", (values) => {
        let total = 0;
        for (const name in values) total += values[name];
        return total;
    });
