
    // ---- Trials of functions that are not saved yet

    /// The maximum number of log lines of a document in a trial, and of characters in a line.
    const trialLinesMax = 50;
    const trialLineCharactersMax = 1000;

    /// For each kind of function: its result for one document.
    const trials = {
        map(name) {
            const run = functionAt("views", name, "map");
            return (document) => {
                const rows = [];
                emit = (key, value) => rows.push([key ?? null, value ?? null]);
                run.call(design, frozen(document));
                return rows;
            };
        },
        filter: (name, { request }) => (document) => filter(name, [document], request)[0],
        validate: (name, { user, security, isNew }) => (document) =>
            validate([[document, isNew ? null : document]], user, security)[0],
        index: (name) => (document) => fields(name, [document])[0],
        geometry: (name) => (document) => geometries(name, [document])[0],
    };

    /// The result of a function for each of the documents, or the error that it threw, with its log lines and its time.
    /// For a map function, also the result of the view's reduce function for all rows.
    function trial(kind, name, documents, context) {
        const run = trials[kind](name, context);
        // An error of the function's text is one error of the trial, also without documents.
        const outcomes = documents.map((document) => tried(() => run(document)));
        return { documents: outcomes, reduced: kind === "map" ? reducedTrial(name, documents, outcomes) : null };
    }

    function tried(body) {
        const lines = [];
        const writeLine = takeLine;
        takeLine = (line) => {
            if (lines.length < trialLinesMax) lines.push(line.slice(0, trialLineCharactersMax));
        };
        const start = Date.now();
        let outcome;
        try {
            // Converted to JSON here, so that a value that cannot be converted is an error of this document.
            outcome = { result: parse(text(body())) };
        } catch (thrown) {
            if (thrown instanceof Failure) throw thrown;
            outcome = { error: described(thrown) + (thrown?.line > 1 ? " in line " + thrown.line : "") };
        } finally {
            takeLine = writeLine;
        }
        return { ...outcome, log: lines, milliseconds: Date.now() - start };
    }

    /// The result of a view's reduce function for all rows of a trial; `null` without a function, or for a built-in one.
    function reducedTrial(name, documents, outcomes) {
        const source = design.views[name].reduce;
        if (typeof source !== "string" || source.trim().startsWith("_")) return null;
        const run = functionAt("views", name, "reduce");
        const rows = outcomes.flatMap(({ result }, index) =>
            (result ?? []).map(([key, value]) => ({ key: [key, documents[index]._id], value })));
        return tried(() => run(rows.map((row) => row.key), rows.map((row) => row.value), false));
    }
