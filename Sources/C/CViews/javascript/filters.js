
    // ---- Filters and validation

    function filter(name, documents, request) {
        const run = functionAt("filters", name);
        return documents.map((document) => Boolean(run.call(design, document, request)));
    }

    /// Whether a view's map function emits a row for each of the documents.
    function filterByView(name, documents) {
        const run = functionAt("views", name, "map");
        let emitted;
        emit = () => (emitted = true);
        return documents.map((document) => {
            emitted = false;
            run.call(design, document);
            return emitted;
        });
    }

    /// The result of a validation for each of several writes `[document, stored]`: `null` or the reason of the refusal.
    function validate(writes, user, security) {
        const run = functionAt("validate_doc_update");
        return writes.map(([document, stored]) => {
            try {
                run.call(design, document, stored, user, security);
                return null;
            } catch (thrown) {
                return refusal(thrown);
            }
        });
    }

    function refusalFailure(thrown) {
        const { error, reason } = refusal(thrown);
        return new Failure(error, typeof reason === "string" ? reason : described(reason));
    }

    function refusal(thrown) {
        for (const error of ["forbidden", "unauthorized"]) {
            const reason = thrown?.[error];
            if (reason !== undefined) return { error, reason: asJSON(reason) };
        }
        const { error, reason } = failure(thrown, thrown instanceof Error ? thrown.name : "unknown_error");
        return { error, reason };
    }

    /// A thrown reason as a value of JSON, or its description if it is none.
    function asJSON(reason) {
        try {
            return parse(stringify(reason));
        } catch {
            return described(reason);
        }
    }

    /// The new target of a request.
    function rewrite(request) {
        const run = functionAt("rewrites");
        try {
            const result = run.call(design, request);
            return result === undefined ? null : typeof result === "string" ? { path: result } : result;
        } catch (thrown) {
            throw thrown?.forbidden || thrown?.unauthorized ? refusalFailure(thrown) : failure(thrown, "rewrite_error");
        }
    }
