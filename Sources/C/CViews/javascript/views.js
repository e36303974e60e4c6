
    // ---- Maps and reduces

    let emit = () => {};

    offer("emit", (key, value) => emit(key, value));

    /// A map function must not change the document that the next function gets.
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

    /// Logs the error of a map or reduce function; `fatal_error` ends the complete call, and any other error only this
    /// document or input.
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

    /// The rows that each map function emitted for each document.
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
                    // Converted to JSON here, so that a value that cannot be converted is a failure of this document
                    // and function.
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

    /// Longer output must have less than half of the input's length, in characters.
    const reducedCharactersMin = 4096;

    /// The results of one reduce function for several inputs `[keys, values, size]`, with `null` for the keys of a
    /// rereduce: `[result]`, or `[null, reason]` if the result does not shrink.
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
