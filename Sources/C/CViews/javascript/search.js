
    // ---- Search indexes

    let addField = () => {};

    offer("index", (name, value, options) => addField(name, value, options));

    /// The use of a field by the options of an index function, as a sum: 1 searched, 2 stored, 4 counted.
    function fieldUse(options) {
        const { store = false, facet = false, index = true } = options ?? {};
        return (isOn(index) || index === "analyzed" ? 1 : 0) + (isOn(store) ? 2 : 0) + (isOn(facet) ? 4 : 0);
    }

    /// The boost of a field's hits, in a list; an empty list without a boost.
    function fieldBoost(options) {
        const boost = Number(options?.boost ?? 1);
        return boost > 0 && boost < Infinity && boost !== 1 ? [boost] : [];
    }

    function isOn(option) {
        return option === true || option === "true" || option === "yes" || option === "YES";
    }

    function isFieldValue(value) {
        if (typeof value === "number") return value - value === 0;
        return typeof value === "string" || typeof value === "boolean";
    }

    /// The fields `[name, value, use]`, some with a boost, that an index function passes for each of the documents.
    function fields(name, documents) {
        const run = functionAt("indexes", name, "index");
        let found;
        addField = (field, value, options) => {
            if (typeof field !== "string") throw new TypeError("the name of a field must be a string");
            if (field.startsWith("_")) throw new TypeError("the name of a field must not begin with an underscore");
            if (!isFieldValue(value)) {
                throw new TypeError("the value of the field " + field + " must be a string, a number or a boolean");
            }
            found.push([field, value, fieldUse(options), ...fieldBoost(options)]);
        };
        return documents.map((document) => given(run, document, () => (found = [])));
    }

    /// Runs an index function for a document: the list that `begin` creates and the function fills; if it throws, the
    /// result of `instead` for the thrown error.
    function given(run, document, begin, instead = () => []) {
        const found = begin();
        try {
            run.call(design, frozen(document));
            return found;
        } catch (thrown) {
            survive(thrown, document);
            return instead(thrown);
        }
    }
