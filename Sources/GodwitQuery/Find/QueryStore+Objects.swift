//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitPredicates
public import GodwitStore

extension QueryStore {
    /// The documents of a type that meet a condition, as Swift values.
    ///
    /// ```swift
    /// let cars = try await garage.find(\Car.year > 2005 && \Car.make == "Toyota", sort: [.descending("year")])
    /// for car in cars { print(car.id, car.value.model) }
    /// ```
    ///
    /// - Parameters:
    ///   - condition: The condition; ``Where/all`` for every document of the type.
    ///   - sort: In which order.
    ///   - limit: At most so many; they are all in memory at once.
    ///   - skip: How many are left out at the beginning.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the condition has no like in Mango or
    ///   cannot be asked, ``StoreError/Code/undecodable`` when a document of the type lacks a member.
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
