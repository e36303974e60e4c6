
    // ---- Functions and modules of the design document

    /// The design document of this context.
    let design = {};
    const compiled = new Map();

    /// Compiles the text of a function. `require` finds modules in `root`.
    function compile(source, root) {
        if (typeof source !== "string" || source === "") throw new Failure("not_found", "missing function");
        offer("require", (path) => required(path, root));
        let value;
        try {
            value = evaluated(source);
        } catch (thrown) {
            if (thrown instanceof Failure) throw thrown;
            throw new Failure("compilation_error", described(thrown) + " (" + source + ")");
        }
        if (typeof value === "function") return value;
        throw new Failure("compilation_error", "Expression does not eval to a function. (" + source + ")");
    }

    /// The number of places in a source text at which a function without a name is looked for.
    const functionsWithoutNameMax = 100;

    /// The value of a source text: an expression or, as in CouchDB, statements whose last one is an expression or a
    /// function without a name. Semicolons at the end are allowed.
    function evaluated(source) {
        let failure;
        for (const program of programs(source.replace(/[\s;]+$/, ""))) {
            try {
                return evaluate(program);
            } catch (thrown) {
                if (!(thrown instanceof SyntaxError)) throw thrown;
                failure ??= thrown;
            }
        }
        throw failure;
    }

    /// The programs that a source text can mean, in the order in which they are tried. A function without a name is not a
    /// statement of JavaScript, so it is put in parentheses; the others of these programs cannot be parsed.
    function* programs(source) {
        yield "(" + source + "\n)";
        yield source;
        const functions = /\bfunction\s*\(/g;
        for (let count = 0, found; count < functionsWithoutNameMax && (found = functions.exec(source)); count += 1) {
            yield source.slice(0, found.index) + "\n;(" + source.slice(found.index) + "\n)";
        }
    }

    /// A function of the design document by its path, compiled once.
    function functionAt(...path) {
        const key = path.join("\u0000");
        const known = compiled.get(key);
        if (known) return known;
        let place = design;
        for (const name of path) {
            if (place === null || typeof place !== "object" || !hasOwn(place, name)) {
                const what = path.length > 1 ? "missing " + path[0] + " function " + path[1] : "missing function " + path[0];
                throw new Failure("not_found", what + " on design doc " + design._id);
            }
            place = place[name];
        }
        const made = compile(place, design);
        compiled.set(key, made);
        return made;
    }

    // ---- Modules (CommonJS)

    const modules = new Map();

    /// The names of the path to a module, from the design document's top level.
    function resolved(path, from) {
        const steps = path.split("/");
        const names = steps[0] === "." || steps[0] === ".." ? from.slice(0, -1) : [];
        for (const step of steps) {
            if (step === ".") continue;
            if (step !== "..") names.push(step);
            else if (names.pop() === undefined) {
                throw new Failure("invalid_require_path", 'Object has no parent "' + path + '"');
            }
        }
        return names;
    }

    function required(path, root, from = []) {
        const names = resolved(String(path), from);
        const key = names.join("/");
        const known = modules.get(key);
        if (known) return known.exports;
        let source = root;
        for (const name of names) {
            if (source === null || typeof source !== "object" || !hasOwn(source, name)) {
                throw new Failure("invalid_require_path", 'Object has no property "' + name + '". ' + key);
            }
            source = source[name];
        }
        if (typeof source !== "string") {
            throw new Failure("invalid_require_path", "Must require a JavaScript string, not: " + typeof source);
        }
        const module = { id: key, exports: {} };
        modules.set(key, module);
        try {
            const body = evaluate("(function (module, exports, require) {" + source + "\n})");
            body.call(globalThis, module, module.exports, (inner) => required(inner, root, names));
        } catch (thrown) {
            modules.delete(key);
            if (thrown instanceof Failure) throw thrown;
            const reason = "Module require('" + key + "') raised error " + described(thrown);
            throw new Failure("compilation_error", reason);
        }
        return module.exports;
    }
