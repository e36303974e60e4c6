
    // ---- Search indexes

    let addField = () => {};

    offer("index", (name, value, options) => addField(name, value, options));

    /// Options that an index function may give with a field.
    function fieldOptions(options) {
        const { store = false, facet = false, boost = 1, index = true } = options ?? {};
        const isStored = store === true || store === "true" || store === "yes" || store === "YES";
        const isIndexed = index === true || index === "true" || index === "analyzed" || index === "yes";
        return { store: isStored, facet: facet === true || facet === "true", boost: Number(boost) || 1, index: isIndexed };
    }

    /// The fields `[name, value, options]` that an index function gives each of the documents.
    function fields(name, documents) {
        const run = functionAt("indexes", name, "index");
        let found;
        addField = (field, value, options) => {
            if (typeof field !== "string") throw new TypeError("the name of a field must be a string");
            if (field.startsWith("_")) throw new TypeError("the name of a field must not begin with an underscore");
            if (!["string", "number", "boolean"].includes(typeof value) || Number.isNaN(value)) {
                throw new TypeError("the value of the field " + field + " must be a string, a number or a boolean");
            }
            found.push([field, value, fieldOptions(options)]);
        };
        return documents.map((document) => {
            found = [];
            try {
                run.call(design, frozen(document));
                return found;
            } catch (thrown) {
                survive(thrown, document);
                return [];
            }
        });
    }
