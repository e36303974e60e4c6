//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import Foundation
import GodwitBase
import GodwitJSON
import GodwitSQLite
import TestKit
import Testing

@testable import GodwitQuery
@testable import GodwitStore
@testable import GodwitText

/// The analyzers of languages, in `_search_analyze`, in indexes and in queries.
@Suite("Languages of text indexes")
struct TextLanguageTests {
    @Test(
        "Words are stemmed, segmented and normalized by the rules of their language",
        arguments: [
            ("arabic", "الكتاب كتاب مَدْرَسَةٌ المكتبات المكتبة ١٢٣", "كتاب كتاب مدرس مكتب مكتب 123"),
            ("armenian", "գրքեր գիրք", "գրքեր գիր"),
            ("basque", "etxeak etxe", "etxe etxe"),
            ("brazilian", "livros falando", "livr fal"),
            ("bulgarian", "Къщата и къща", "къщата къща"),
            ("catalan", "cançons cançó l'aigua", "cancon canc aigu"),
            ("chinese", "我们喜欢北京大学，ＡＢＣ", "喜欢 北京 大学 abc"),
            ("cjk", "東京都は2020年 한국어 ﾊﾟﾝ ＡＢＣ 猫", "東京 京都 都は 2020 年 한국 국어 パン abc 猫"),
            ("czech", "Žluté auto", "zlute auto"),
            ("danish", "husene huset", "hus hus"),
            ("dutch", "huizen lopende", "huiz lopend"),
            ("english", "running the races", "run race"),
            ("finnish", "taloissa talo", "talo talo"),
            ("french", "L'avion révélations « aujourd’hui » e\u{301}t\u{e9}s", "avion revel aujourd hui ete"),
            ("galician", "Casas", "casas"),
            ("german", "Häuser Haus Straße STRASSE", "haus haus strass strass"),
            ("greek", "Θάλασσες ΘΑΛΑΣΣΑ της", "θαλασσ θαλασσ"),
            ("hindi", "लड़के लड़का किताबें", "लडक लडक किताब"),
            ("hungarian", "házakban ház", "haz haz"),
            ("indonesian", "makanan makan", "makan makan"),
            ("irish", "an nAthair, n-athair, bhád, Bád", "athair athair bad bad"),
            ("italian", "dell'amico amici", "amic amic"),
            ("japanese", "東京都に住んでいます", "東京 都 住 んで"),
            ("latvian", "Mājas un jūra", "majas jura"),
            ("norwegian", "husene huset", "hus hus"),
            ("persian", "کتاب‌ها كتاب ۱۲", "كتاب كتاب 12"),
            ("polish", "Łódź", "łodz"),
            ("portuguese", "livros falando", "livr fal"),
            ("romanian", "frumoșii frumoşii frumoasă", "frumos frumos frumoas"),
            ("russian", "книгами книга Ёлки елка", "книг книг елк елк"),
            ("spanish", "corriendo canciones", "corr cancion"),
            ("swedish", "flickorna flicka", "flick flick"),
            ("thai", "ภาษาไทยเป็นภาษา ๑๒", "ภาษา ไทย ภาษา 12"),
            ("turkish", "Ankara'da IŞIKLAR kitaplarımız İÇİN", "ankar ısık kitap"),
        ].filter { isLinked($0.0) })
    func words(name: String, text: String, words: String) throws {
        let made = try TextAnalyzer(named: name).words(of: text)
        #expect(made == words.split(separator: " ").map(String.init))
    }

    @Test("All analyzers of CouchDB exist")
    func couchDBsNames() {
        let names = """
            arabic armenian basque brazilian bulgarian catalan chinese cjk classic czech danish dutch email english \
            finnish french galician german greek hindi hungarian indonesian irish italian japanese keyword latvian \
            norwegian persian polish portuguese romanian russian simple simple_asciifolding spanish standard swedish thai turkish whitespace
            """
        #expect(Set(names.split(separator: " ").map(String.init)).subtracting(TextAnalyzer.names).isEmpty)
    }

    @Test("An index definition's own stop words replace the language's")
    func ownStopWords() throws {
        #expect(try TextAnalyzer(named: "french", stopWords: ["Été"]).words(of: "les étés, été") == ["le", "ete"])
    }

    @Test(
        "For any bytes, words are within them, and index and query have the same words",
        arguments: TextAnalyzer.names.filter(isLinked))
    func anyBytes(name: String) throws {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        let tokenizer = try TextTokenizer(TextAnalyzer(named: name), on: connection)
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "é", "ß", "I", "İ", "l'", "n-", "東", "ﾊ", "ﾟ", "ภาษา", "ไ", "\u{640}", "\u{301}", "😀", " ", "n\u{200D}",
        ]
        for round in 0..<300 {
            var text: [UInt8] = []
            while text.count < round * 3 {
                text += random.pick(pieces).utf8
                if random.chance(1, in: 2) { text.append(UInt8.random(in: 1...255, using: &random)) }
            }
            if round % 50 == 49 { text += Array(repeating: Array("ไทย東京xéI".utf8), count: 700).flatMap { $0 } }
            let lines = tokenizer.lines(text).split(separator: UInt8(ascii: "\n"))
            let agree = tokenizer.words(text).map(\.text) == lines.map { String(decoding: $0, as: UTF8.self) }
            #expect(agree, "round \(round)")
        }
    }

    // MARK: Indexes

    @Test("Stems, phrases, prefixes, elisions and stop words of French find the expected documents")
    func french() async throws {
        let documents: [(String, JSONValue)] = [
            ("a", ["t": "Les révélations d'un avion"]), ("b", ["t": "L’avion révélé", "n": 12.5]),
            ("c", ["t": "cheval"]),
        ]
        try await withTextStore(["default_field": ["analyzer": "french"]], documents: documents) { store in
            for (query, ids) in [
                ("révélation", ["a", "b"]), ("REVELER", ["a", "b"]), ("l'avion", ["a", "b"]), ("t:avions", ["a", "b"]),
                (#""avion révélé""#, ["b"]), (#""révélation un avion""#, ["a"]), ("révél*", ["a", "b"]),
                ("chev*", ["c"]),
                ("d'un cheval", ["c"]), ("12.5", ["b"]), ("\"les révélations\" NOT cheval", ["a"]),
                ("avion NEAR/3 révélation", ["a", "b"]), ("n:[12 TO 13] AND avion", ["b"]),
            ] { try store.expect(query, ids) }
            try await store.edit("c", ["t": "chevaux volants"])
            try store.expect("cheval", ["c"])
            try await store.delete("a")
            try store.expect("révélation", ["b"])
            #expect(try await store.store.check().isEmpty)
        }
    }

    @Test("Chinese, Japanese and Korean are found by two or more characters at any position")
    func cjk() async throws {
        let documents: [(String, JSONValue)] = [
            ("a", ["t": "東京都に住む"]), ("b", ["t": "京都の寺"]), ("c", ["t": "한국어 문법", "u": "Ｔｏｋｙｏ"]),
        ]
        try await withTextStore(["default_field": ["analyzer": "cjk"]], documents: documents) { store in
            for (query, ids) in [
                ("東京", ["a"]), ("京都", ["a", "b"]), ("東京都", ["a"]), ("東京寺", []), ("東*", ["a"]), ("국어", ["c"]),
                ("tokyo", ["c"]), ("京都 の寺", ["b"]), ("u:TOK*", ["c"]),
            ] { try store.expect(query, ids) }
        }
    }

    @Test("Thai and Chinese are found by words of the dictionary", .enabled(if: isLinked("thai")))
    func dictionaries() async throws {
        let thai: [(String, JSONValue)] = [("a", ["t": "ภาษาไทยเป็นภาษา"]), ("b", ["t": "คนไทย"])]
        try await withTextStore(["default_field": ["analyzer": "thai"]], documents: thai) { store in
            for (query, ids) in [("ไทย", ["a", "b"]), ("ภาษาไทย", ["a"]), ("คน", ["b"]), ("ไทยภาษา", [])] {
                try store.expect(query, ids)
            }
        }
        let chinese: [(String, JSONValue)] = [("a", ["t": "我们喜欢北京大学"]), ("b", ["t": "大学在上海"])]
        try await withTextStore(["default_field": ["analyzer": "chinese"]], documents: chinese) { store in
            for (query, ids) in [("大学", ["a", "b"]), ("北京大学", ["a"]), ("京大", [])] { try store.expect(query, ids) }
        }
    }

    @Test(
        "Matches are highlighted at their position in the text",
        arguments: [
            ("french", "avion", "Voilà l'avion", "Voilà l'<em>avion</em>"),
            ("french", "révéler", "Des révélations", "Des <em>révélations</em>"),
            ("thai", "ไทย", "ภาษาไทยเป็นภาษา", "ภาษา<em>ไทย</em>เป็นภาษา"),
            ("cjk", "京都", "東京都に住む", "東<em>京都</em>に住む"),
            ("japanese", "住", "東京都に住んでいます", "東京都に<em>住</em>んでいます"),
        ].filter { isLinked($0.0) })
    func highlights(name: String, query: String, text: String, marked: String) throws {
        let definition = try TextIndexDefinition(parsing: ["default_field": ["analyzer": .string(name)]])
        let highlighter = TextHighlighter(try TextQuery(parsing: query), definition, style: .init(fields: ["t"]))
        let document: JSONValue = ["t": .string(text)]
        #expect(try highlighter.fragments(of: JSONTape(scanning: document.jsonBytes())) == [ExactText("t"): [marked]])
    }

    // MARK: Other words

    @Test("The index of a function is a different one if its analyzer differs")
    func fieldIndexes() throws {
        let written: JSONValue = [
            "index": "function(doc) {}", "analyzer": ["name": "perfield", "fields": ["a": "german", "b": "french"]],
        ]
        let definition = try TextIndexDefinition(function: written)
        #expect(try TextIndexDefinition(stored: definition.bytes) == definition)
        #expect(definition.bytes != definition.json.jsonBytes())
        #expect(throws: TextError.outdated) { try TextIndexDefinition(stored: definition.json.jsonBytes()) }
        let plain = try TextIndexDefinition(function: ["index": "function(doc) {}", "analyzer": "english"])
        #expect(plain.bytes == plain.json.jsonBytes())
    }

    @Test("An index with outdated words is not used but rebuilt, also one from before stems were supported")
    func outdated() async throws {
        let path = NSTemporaryDirectory() + "godwit-text-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let definition = try TextIndexDefinition(parsing: ["default_field": ["analyzer": "french"]])
        let old = definition.json.jsonText().replacing("'", with: "''")
        var number: Int64 = 0
        for round in 0..<3 {
            let manager = try DatastoreManager(
                directory: path, durability: .normal, key: testKey, indexes: [TextIndex()])
            let text = TextStore(store: try await manager.datastore(named: "test"), definition: definition)
            if round == 0 {
                try await text.add([("a", ["t": "révélations"])])
                try await text.store.defineTextIndex(definition)
                try await text.store.catchUpAll()
                number = try text.store.indexDescriptions()[0].number
                try await text.store.transact { transaction in
                    try transaction.connection.execute("UPDATE indexes SET definition = CAST('\(old)' AS BLOB)")
                }
            } else if round == 1 {
                // A write and a search may run before the index is rebuilt.
                try await text.add([("b", ["t": "révéler"])])
                #expect(try await text.store.ids(["$text": "révélation"]).sorted() == ["a", "b"])
                let found = try await text.store.search("révélation", index: "text")
                #expect(found.hits.compactMap(\.document.id).sorted() == ["a", "b"])
                #expect(try text.store.indexDescriptions().map(\.number) != [number])
                try text.expect("révélation", ["a", "b"])
                number = try text.store.indexDescriptions()[0].number
            } else {
                try await text.store.catchUpAll()
                #expect(try text.store.indexDescriptions().map(\.number) == [number])
                try text.expect("révélation", ["a", "b"])
                #expect(try await text.store.check().isEmpty)
            }
            await manager.close()
        }
    }
}
