//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitSelector
public import GodwitStore

extension QueryStore {
    /// Returns the documents of a type that match a condition, as Swift values.
    ///
    /// ```swift
    /// let cars = try await garage.find(\Car.year > 2005 && \Car.make == "Toyota", sort: [.descending("year")])
    /// for car in cars { print(car.id, car.value.model) }
    /// ```
    ///
    /// - Parameters:
    ///   - condition: The condition; ``Where/all`` for every document of the type.
    ///   - sort: The order.
    ///   - limit: The maximum number of documents. All found documents are in memory at the same time.
    ///   - skip: The number of documents to skip at the beginning.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the condition has no equivalent in
    ///   Mango or the query is invalid, ``StoreError/Code/undecodable`` when a document does not decode as the type.
    public func find<Value: DocumentObject>(
        _ condition: Where<Value>, sort: [QueryField] = [], limit: Int = 25, skip: Int = 0
    ) async throws(StoreError) -> [TypedDocument<Value>] {
        let query: FindQuery
        do {
            query = FindQuery(selector: try condition.selector, sort: sort, limit: limit, skip: skip)
        } catch {
            throw StoreError(.invalidRequest, "\(error)")
        }
        return try await find(query).documents.map { document throws(StoreError) in
            try TypedDocument(decoding: document)
        }
    }
}
