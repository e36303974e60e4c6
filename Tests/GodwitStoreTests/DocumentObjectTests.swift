//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import Testing

@testable import GodwitStore

private struct Trip: DocumentObject, Equatable {
    struct Leg: Codable, Equatable {
        var from: String
        var km: Double?
    }

    var title: String
    var start: Date
    var note: String?
    var first: Leg?
    var legs: [Leg] = []
    var tags: [String: Int] = [:]
}

private struct Person: DocumentObject {
    static var dataType: String { "person" }
    var name: String
}

/// The trip of later code, with a member that older documents lack.
private struct NewerTrip: DocumentObject {
    static var dataType: String { "Trip" }
    var title: String
    var departure: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        departure = try container.decodeIfPresent(String.self, forKey: .departure) ?? "unknown"
    }
}

private struct Text: DocumentObject {
    var text: String

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private struct Confused: DocumentObject {
    func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: CodingKeys.self)
        _ = encoder.unkeyedContainer()
    }

    private enum CodingKeys: CodingKey {}
}

private struct Underscored: DocumentObject {
    var _id = "x"
}

/// A type whose decoding throws its own error.
private struct Picky: DocumentObject {
    struct Refusal: Error {}

    init() {}

    init(from decoder: any Decoder) throws { throw Refusal() }

    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }

    private enum CodingKeys: CodingKey {}
}

private let start = Date(timeIntervalSinceReferenceDate: 799_401_600)

@Suite("Documents as Swift values")
struct DocumentObjectTests {
    @Test func createReadUpdateDelete() async throws {
        try await withDatastore { store in
            let trip = Trip(title: "Coast", start: start, legs: [Trip.Leg(from: "Porto", km: 42)])
            var saved = try await store.save(trip, id: "coast")
            #expect(saved.id == "coast" && saved.revision.generation == 1 && saved.value == trip)
            #expect(
                try store.body("coast", at: saved.revision)
                    == #"{"@datatype":"Trip","title":"Coast","start":"2026-05-02T08:00:00Z","#
                    + #""legs":[{"from":"Porto","km":42.0}],"tags":{}}"#)
            #expect(try store.object("coast", as: Trip.self).value == trip)

            saved.value.note = "wet"
            saved = try await store.save(saved)
            #expect(saved.revision.generation == 2)
            #expect(try store.object("coast", as: Trip.self).value.note == "wet")
            saved.value.note = nil
            saved = try await store.save(saved)
            #expect(try store.document("coast").body["note"] == nil)

            let tombstone = try await store.delete(saved)
            #expect(tombstone.generation == 4)
            await expectFailure(.deleted) { _ = try store.object("coast", as: Trip.self) }
            await expectFailure(.notFound) { _ = try store.object("hills", as: Trip.self) }
        }
    }

    @Test func idsAndConflicts() async throws {
        try await withDatastore { store in
            let first = try await store.save(Person(name: "Ana"))
            let second = try await store.save(Person(name: "Ben"))
            #expect(first.id.count == 32 && first.id != second.id)
            await expectFailure(.conflict) { _ = try await store.save(Person(name: "Cid"), id: first.id) }
            _ = try await store.save(first)
            await expectFailure(.conflict) { _ = try await store.save(first) }
            await expectFailure(.conflict) { try await store.delete(first) }
        }
    }

    @Test("Members that the type does not know survive, in nested objects too")
    func unknownMembers() async throws {
        try await withDatastore { store in
            try await store.save(
                #"""
                {"_id":"a","colour":"red","@datatype":"Trip","title":"A","start":"2026-05-02T10:00:00.000+02:00",
                "first":{"km":7,"from":"Porto","by":{"x":[1]}},"note":null,"legs":[],"tags":{"a":1,"b":2}}
                """#)
            var trip = try store.object("a", as: Trip.self)
            trip.value.title = "B"
            trip.value.first?.from = "Braga"
            trip.value.tags = ["b": 2, "c": 3]
            trip = try await store.save(trip)
            // Unchanged members keep their written form: the offset, the integer, the null.
            #expect(
                try store.body("a", at: trip.revision)
                    == #"{"@datatype":"Trip","title":"B","start":"2026-05-02T10:00:00.000+02:00","#
                    + #""first":{"from":"Braga","km":7,"by":{"x":[1]}},"legs":[],"tags":{"b":2,"c":3},"#
                    + #""colour":"red","note":null}"#)

            trip.value.first = nil
            trip.value.note = "n"
            trip.value.start += 0.5
            trip = try await store.save(trip)
            #expect(
                try store.body("a", at: trip.revision)
                    == #"{"@datatype":"Trip","title":"B","start":"2026-05-02T08:00:00.5Z","note":"n","#
                    + #""legs":[],"tags":{"b":2,"c":3},"colour":"red"}"#)
            #expect(try store.object("a").value == trip.value)
        }
    }

    @Test("A member that decoding added is saved with the next change")
    func newerType() async throws {
        try await withDatastore { store in
            _ = try await store.save(Trip(title: "A", start: start), id: "a")
            var newer = try store.object("a", as: NewerTrip.self)
            newer.value.title = "B"
            newer = try await store.save(newer)
            let body = try store.document("a").body
            #expect(body["departure"] == "unknown" && body["title"] == "B" && body["start"] != nil)
        }
    }

    @Test func attachments() async throws {
        try await withDatastore { store in
            var saved = try await store.save(
                Person(name: "Ana"), attachments: ["face": .data([1, 2, 3], contentType: "image/png")])
            saved.value.name = "Anna"
            saved = try await store.save(saved)
            #expect(saved.attachments["face"]?.length == 3)
            saved.attachments["face"] = nil
            saved = try await store.save(saved)
            #expect(try store.object(saved.id, as: Person.self).attachments.isEmpty)
        }
    }

    @Test func typedAndGeneric() async throws {
        try await withDatastore { store in
            var generic = try await store.create(Document(encoding: Person(name: "Ana"), id: "a"))
            #expect(generic.body == ["@datatype": "person", "name": "Ana"])
            generic.body["born"] = 1990
            generic = try await store.update(generic)
            #expect(try generic.decoded(as: Person.self).name == "Ana")

            var typed = try TypedDocument<Person>(decoding: generic)
            typed.value.name = "Anna"
            generic = try await store.update(Document(encoding: typed))
            #expect(generic.revision?.generation == 3)
            #expect(generic.body == ["@datatype": "person", "name": "Anna", "born": 1990])
            await expectFailure(.invalidDocument) {
                _ = try TypedDocument<Person>(decoding: Document(encoding: Person(name: "Ben")))
            }
        }
    }

    @Test("A document of another type is refused; the error contains no other content")
    func wrongType() async throws {
        try await withDatastore { store in
            _ = try await store.save(Person(name: "secret"), id: "a")
            try await store.save(#"{"_id":"b","title":"secret"}"#)
            try await store.save(#"{"_id":"c","@datatype":["secret"]}"#)
            for (id, found) in [("a", "person"), ("b", "none"), ("c", "not a string")] {
                let error = failure { () throws(StoreError) in _ = try store.object(id, as: Trip.self) }
                #expect(error?.code == .wrongDataType)
                #expect(
                    error?.message
                        == "the document \(id) has another type: its @datatype must be Trip but is \(found)")
            }
        }
    }

    @Test(
        "A document that cannot be decoded is refused with the path and the kind of the error, without content",
        arguments: [
            (#"{}"#, "title is missing"),
            (#"{"title":7}"#, "title is not a value of type String"),
            (#"{"title":null}"#, "title has no value but must be String"),
            (#"{"title":"secret","start":"secret"}"#, "start is not a value of type Date"),
            (#"{"title":"","start":"2026-05-02T08:00:00Z","legs":[{"from":"a"},{"km":1}]}"#, "legs.1.from is missing"),
            (#"{"title":"","start":"2026-05-02T08:00:00Z","legs":"secret"}"#, "legs is not a value of type Array<Any>"),
            (
                #"{"title":"","start":"2026-05-02T08:00:00Z","legs":["secret"]}"#,
                "legs.0 is not a value of type Dictionary<String, Any>"
            ),
            (
                #"{"title":"","start":"2026-05-02T08:00:00Z","legs":[],"tags":{"a":{"b":"secret"}}}"#,
                "tags.a is not a value of type Int"
            ),
        ])
    func undecodable(text: String, reason: String) throws {
        var body = try #require(try JSONValue(parsing: text).objectValue)
        body["@datatype"] = "Trip"
        let document = Document(id: "a", body: body)
        let error = failure { () throws(StoreError) in _ = try document.decoded(as: Trip.self) }
        #expect(error?.code == .undecodable && error?.cause == nil)
        #expect(error?.message == "the document a is not a valid Trip: \(reason)")
    }

    @Test("A type's own error is the cause")
    func ownErrors() throws {
        let document = try Document(encoding: Picky())
        let error = failure { () throws(StoreError) in _ = try document.decoded(as: Picky.self) }
        #expect(error?.code == .undecodable && error?.cause is Picky.Refusal)
    }

    @Test("Values that cannot be a body are refused, and nothing is written")
    func noBodies() async throws {
        try await withDatastore { store in
            await expectFailure(.invalidDocument) { _ = try await store.save(Text(text: "a")) }
            await expectFailure(.invalidDocument) { _ = try await store.save(Confused()) }
            await expectFailure(.invalidDocument) { _ = try await store.save(Underscored()) }
            let tooLate = Date(timeIntervalSinceReferenceDate: 1e12)
            await expectFailure(.invalidDocument) { _ = try await store.save(Trip(title: "", start: tooLate)) }
            let nowhere = Trip.Leg(from: "", km: .nan)
            await expectFailure(.invalidJSON) {
                _ = try await store.save(Trip(title: "", start: start, first: nowhere))
            }
            #expect(store.updateSequence.number == 0)
        }
    }
}

private func failure(_ body: () throws(StoreError) -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
