
    // ---- Shows, lists and update functions

    /// The output of a function with `start` and `send` since it was last passed to the host.
    const output = { begun: null, chunks: [], characters: 0 };
    /// The functions that were passed to `provides`: pairs of a type's name and a function.
    let provided = [];
    let contentType = null;

    const types = new Map();

    function registerType(name, ...mimes) {
        types.set(name, mimes);
    }

    for (const [name, ...mimes] of [
        ["all", "*/*"],
        ["text", "text/plain; charset=utf-8", "txt"],
        ["html", "text/html; charset=utf-8"],
        ["xhtml", "application/xhtml+xml", "xhtml"],
        ["xml", "application/xml", "text/xml", "application/x-xml"],
        ["js", "text/javascript", "application/javascript", "application/x-javascript"],
        ["css", "text/css"],
        ["ics", "text/calendar"],
        ["csv", "text/csv"],
        ["rss", "application/rss+xml"],
        ["atom", "application/atom+xml"],
        ["yaml", "application/x-yaml", "text/yaml"],
        ["multipart_form", "multipart/form-data"],
        ["url_encoded_form", "application/x-www-form-urlencoded"],
        ["json", "application/json", "text/x-json"],
    ]) {
        registerType(name, ...mimes);
    }

    offer("registerType", registerType);
    offer("provides", (type, run) => void provided.push([type, run]));
    offer("start", (response) => void (output.begun = asHead(response ?? {})));
    offer("send", (chunk) => {
        const written = String(chunk);
        output.chunks.push(written);
        output.characters += written.length;
    });
    offer("getRow", () => getRow());

    /// The status and the headers of an argument of `start`. CouchDB's shows pass only the headers.
    function asHead(response) {
        return response.code !== undefined || response.headers !== undefined ? response : { headers: response };
    }

    function beginRendering() {
        output.begun = null;
        output.chunks = [];
        output.characters = 0;
        provided = [];
        contentType = null;
        rows = null;
    }

    /// The output since the last call.
    function said() {
        const chunks = output.chunks.join("");
        output.chunks = [];
        output.characters = 0;
        return chunks;
    }

    /// The ranges of an `Accept` header, best first, as `[type, subtype, quality]`.
    function accepted(header) {
        return header
            .split(",")
            .map((part) => {
                const [range, ...parameters] = part.trim().split(";");
                const quality = parameters.map((each) => /^\s*q=([0-9.]+)\s*$/.exec(each)?.[1]).find(Boolean);
                return [...range.trim().split("/"), quality === undefined ? 1 : Number(quality)];
            })
            .filter(([, , quality]) => quality > 0)
            .sort((one, other) => other[2] - one[2] || specificity(other) - specificity(one));
    }

    function specificity([type, subtype]) {
        return (type === "*" ? 0 : 2) + (subtype === "*" ? 0 : 1);
    }

    /// The provided type that a request prefers: `[name, mime type]`.
    function choice(request) {
        const format = request.query?.format;
        if (format) return [format, types.get(format)?.[0]];
        const header = request.headers?.Accept;
        if (!header) return [provided[0][0], types.get(provided[0][0])?.[0]];
        for (const [type, subtype] of accepted(header)) {
            for (const [name] of provided) {
                for (const mime of types.get(name) ?? []) {
                    const [main, minor] = mime.split(";")[0].split("/");
                    if ((type === "*" || type === main) && (subtype === "*" || subtype === minor)) return [name, mime];
                }
            }
        }
        return [null, header];
    }

    /// Runs the provided function for the type that the request accepts.
    function runProvided(request) {
        const [name, mime] = choice(request);
        const found = provided.find(([type]) => type === name);
        if (!found) {
            const known = provided.map(([type]) => (types.get(type) ?? [type]).join(", ")).join(", ");
            const wanted = request.headers?.Accept ?? name;
            throw new Failure("not_acceptable", "Content-Type " + wanted + " not supported, try one of: " + known);
        }
        contentType = mime ?? null;
        return found[1].call(design);
    }

    function withType(response) {
        const headers = response.headers ?? {};
        if (contentType && !("Content-Type" in headers)) headers["Content-Type"] = contentType;
        return { ...response, headers };
    }

    function asResponse(value, what) {
        if (typeof value === "string") return { body: value };
        if (value && typeof value === "object" && !isArray(value)) return value;
        throw new Failure("render_error", "undefined response from " + what + " function");
    }

    /// Runs `body`; a thrown error that is no failure becomes a `render_error`.
    function rendering(body) {
        beginRendering();
        try {
            return body();
        } catch (thrown) {
            const isFailure = thrown instanceof Failure || thrown?.error || thrown?.[0] === "error" || thrown?.[0] === "fatal";
            if (isFailure) throw thrown;
            const reason = "function raised error: " + described(thrown) + " \nstacktrace: " + (thrown?.stack ?? "");
            log(reason);
            throw new Failure("render_error", reason);
        }
    }

    function show(name, document, request) {
        const run = functionAt("shows", name);
        return rendering(() => {
            let response = asResponse(run.call(design, document, request) ?? {}, "show");
            const chunks = said();
            if (output.begun) {
                const headers = { ...output.begun.headers, ...response.headers };
                response = { ...output.begun, ...response, headers };
            }
            if (chunks) response = { ...response, body: chunks + (response.body ?? "") };
            if (provided.length > 0) {
                const more = asResponse(runProvided(request) ?? {}, "show");
                response = withType({ ...response, ...more, body: (response.body ?? "") + said() + (more.body ?? "") });
            }
            return response;
        });
    }

    /// The result of an update function for a document: the document to write, or null, and the response.
    function update(name, document, request) {
        const run = functionAt("updates", name);
        return rendering(() => {
            const result = run.call(design, document, request);
            return { document: result?.[0] ?? null, response: asResponse(result?.[1], "update") };
        });
    }

    // ---- Lists

    /// Rows from the host that the function has not read; `null` before the first request for rows.
    let rows = null;
    let hasMore = true;

    /// The maximum number of waiting characters before they are passed to the host.
    const waitingCharactersMax = 65536;

    /// The answer's head as the function set it. The host accepts another head until the first text is sent.
    function begun() {
        const response = withType(output.begun ?? {});
        output.begun = null;
        return response;
    }

    function getRow() {
        const isFirst = rows === null;
        if (isFirst || (rows.length === 0 && hasMore) || output.characters > waitingCharactersMax) {
            const question = { chunks: said(), rows: isFirst || rows.length === 0 };
            if (isFirst || output.begun) question.start = begun();
            const answer = parse(host.ask(text(question)));
            rows = isFirst ? [] : rows;
            if (question.rows) {
                rows = answer.rows.reverse();
                hasMore = answer.more;
            }
        }
        return rows.pop() ?? null;
    }

    /// Runs a list function; its output is sent by `host.ask`, and its returned text is the end of the answer.
    function list(name, head, request) {
        const run = functionAt("lists", name);
        return rendering(() => {
            hasMore = true;
            let tail = run.call(design, head, request);
            if (provided.length > 0) tail = runProvided(request);
            if (rows === null) getRow();
            else if (output.begun) host.ask(text({ start: begun() }));
            return said() + (tail === undefined || tail === null ? "" : String(tail));
        });
    }
