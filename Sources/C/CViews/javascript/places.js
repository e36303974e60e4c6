
    // ---- Geospatial indexes

    let addGeometry = () => {};

    offer("st_index", (geometry) => addGeometry(geometry));

    /// The geometries that an index function passes for each of the documents, or the error that it threw for a
    /// document.
    function geometries(name, documents) {
        const run = functionAt("st_indexes", name, "index");
        let found;
        addGeometry = (geometry) => void found.push(geometry ?? null);
        return documents.map((document) => given(
            run, document, () => (found = []), (thrown) => [{ thrown: described(thrown) }]));
    }
