
    // ---- Functions that the host calls

    return freeze({
        open: (document) => answering(() => void (design = parse(document))),
        // Reads the tables of time zones and locales.
        warmUp: () => answering(() => [new Date(0).toString(), new Date(0).toLocaleString(), "b".localeCompare("a")]),
        // Compiled and discarded: a design document that cannot be compiled is refused when it is written.
        check: (source) => answering(() => void compile(parse(source), design)),
        map: (documents) => {
            try {
                return '{"answer":' + mapped(parse(documents)) + "}";
            } catch (thrown) {
                return text(failure(thrown));
            }
        },
        reduce: (view, inputs) => answering(() => reduce(view, parse(inputs))),
        filter: (name, documents, request) => answering(() => filter(name, parse(documents), parse(request))),
        filterByView: (name, documents) => answering(() => filterByView(name, parse(documents))),
        validate: (writes, user, security) => answering(() => validate(parse(writes), parse(user), parse(security))),
        rewrite: (request) => answering(() => rewrite(parse(request))),
        show: (name, document, request) => answering(() => show(name, parse(document), parse(request))),
        update: (name, document, request) => answering(() => update(name, parse(document), parse(request))),
        list: (name, head, request) => answering(() => list(name, parse(head), parse(request))),
        fields: (name, documents) => answering(() => fields(name, parse(documents))),
        geometries: (name, documents) => answering(() => geometries(name, parse(documents))),
        trial: (kind, name, documents, context) =>
            answering(() => trial(kind, name, parse(documents), parse(context))),
    });
})
