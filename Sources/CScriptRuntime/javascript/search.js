
    // ---- Search indexes

    let addField = () => {};

    offer("index", (name, value, options) => addField(name, value, options));

    /// What a field is for by the options of an index function, as a sum: 1 searched, 2 stored, 4 counted. `boost` counts
    /// for nothing.
    function fieldUse(options) {
        const { store = false, facet = false, index = true } = options ?? {};
        return (isOn(index) || index === "analyzed" ? 1 : 0) + (isOn(store) ? 2 : 0) + (isOn(facet) ? 4 : 0);
    }

    function isOn(option) {
        return option === true || option === "true" || option === "yes" || option === "YES";
    }

    function isFieldValue(value) {
        if (typeof value === "number") return value - value === 0;
        return typeof value === "string" || typeof value === "boolean";
    }

    /// The fields `[name, value, use]` that an index function gives each of the documents.
    function fields(name, documents) {
        const run = functionAt("indexes", name, "index");
        let found;
        addField = (field, value, options) => {
            if (typeof field !== "string") throw new TypeError("the name of a field must be a string");
            if (field.startsWith("_")) throw new TypeError("the name of a field must not begin with an underscore");
            if (!isFieldValue(value)) {
                throw new TypeError("the value of the field " + field + " must be a string, a number or a boolean");
            }
            found.push([field, value, fieldUse(options)]);
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
