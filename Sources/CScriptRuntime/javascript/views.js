
    // ---- Maps and reduces

    let emit = () => {};

    offer("emit", (key, value) => emit(key, value));

    /// A map function must not change what the next one sees.
    function frozen(value) {
        if (isArray(value)) {
            for (const member of value) if (typeof member === "object" && member !== null) frozen(member);
        } else {
            for (const name in value) {
                const member = value[name];
                if (typeof member === "object" && member !== null) frozen(member);
            }
        }
        return freeze(value);
    }

    /// Says what a map or reduce function threw; `fatal_error` ends everything, and all else what it threw at.
    function survive(thrown, document) {
        if (thrown === "fatal_error") throw new Failure("map_runtime_error", "function raised 'fatal_error'");
        if (isArray(thrown) && thrown[0] === "fatal") throw thrown;
        log("function raised exception " + described(thrown) + (document ? " with doc._id " + document._id : ""));
    }

    /// The views of the design document that have a map function, by their names in order.
    let maps;

    function mapFunctions() {
        const views = design.views ?? {};
        return (maps ??= Object.keys(views)
            .filter((name) => name !== "lib" && typeof views[name]?.map === "string")
            .sort()
            .map((name) => compile(views[name].map, design)));
    }

    /// For each document and each map function, what it emitted.
    function map(documents) {
        const functions = mapFunctions();
        let rows;
        emit = (key, value) => rows.push([key, value]);
        return documents.map((document) => {
            frozen(document);
            return functions.map((run) => {
                rows = [];
                try {
                    run(document);
                    // Written now, so that what cannot be written is this document's failure and this function's.
                    return new Written(text(rows));
                } catch (thrown) {
                    survive(thrown, document);
                    return new Written("[]");
                }
            });
        });
    }

    /// A text that is JSON already.
    class Written {
        constructor(json) {
            this.json = json;
        }
    }

    function mapped(documents) {
        return "[" + map(documents).map((of) => "[" + of.map((rows) => rows.json).join(",") + "]").join(",") + "]";
    }

    /// Output longer than this must be less than half of what it was made of, in characters.
    const reducedCharactersMin = 4096;

    /// What one reduce function makes of each of several inputs `[keys, values, size]`, with `null` for the keys to reduce again:
    /// `[result]`, or `[null, reason]` when it does not shrink.
    function reduce(view, inputs) {
        const run = functionAt("views", view, "reduce");
        return inputs.map(([keys, values, size]) => {
            let result;
            try {
                result = run(keys, values, keys === null) ?? null;
            } catch (thrown) {
                survive(thrown);
                return [null];
            }
            const length = text(result).length;
            if (length > reducedCharactersMin && length * 2 > size) {
                const shown = "Current output: '" + text(result).slice(0, 100) + "'... (first 100 of " + length + " bytes)";
                return [null, "Reduce output must shrink more rapidly: " + shown];
            }
            return [result];
        });
    }
