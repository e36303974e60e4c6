
    // ---- Geospatial indexes

    let addGeometry = () => {};

    offer("st_index", (geometry) => addGeometry(geometry));

    /// The geometries that an index function gives each of the documents; what it threw, for one at which it did.
    function geometries(name, documents) {
        const run = functionAt("st_indexes", name, "index");
        let found;
        addGeometry = (geometry) => void found.push(geometry ?? null);
        return documents.map((document) => given(
            run, document, () => (found = []), (thrown) => [{ thrown: described(thrown) }]));
    }
