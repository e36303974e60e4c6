//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import Testing

@Suite("CSV tables")
struct CSVReaderTests {
    private func read(_ text: String, _ change: (inout CSVOptions) -> Void = { _ in }) throws -> Reading {
        var options = CSVOptions()
        change(&options)
        return try Reading.everywhere(text) { CSVReader($0, options: options) }
    }

    private func feature(_ longitude: String, _ latitude: String, _ properties: String) -> String {
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"properties":{\#(properties)}}"#
    }

    @Test("Quotes, line breaks within them, a byte order mark, numbers and strings")
    func fields() throws {
        let text =
            "\u{FEFF}id,Lat,LNG,name,n,zip,empty\r\na,1,-2.5,\"x, \"\"y\"\"\nz\",-1e2,007,\r\n\r\n"
            + "\"b\",1.5,2,é,12345678901234567890,\"5\",\"\"\n"
        let reading = try read(text)
        #expect(reading.error == nil)
        #expect(
            reading.records == [
                "a " + feature("-2.5", "1.0", #""name":"x, \"y\"\nz","n":-100.0,"zip":"007""#),
                "b " + feature("2.0", "1.5", #""name":"é","n":12345678901234567890,"zip":"5","empty":"""#),
            ])
    }

    @Test("Columns are found by their usual names or by a given name")
    func columns() throws {
        for header in ["latitude,longitude", "LAT,lon", "y,x", "Lat,Long", " lat , lng "] {
            #expect(try read("\(header)\n1,2\n").records == ["- " + feature("2.0", "1.0", "")])
        }
        let reading = try read("breite;länge;key\n1;2;k") { options in
            (options.latitude, options.longitude, options.id) = ("breite", "länge", "key")
            options.delimiter = UInt8(ascii: ";")
        }
        #expect(reading.records == ["k " + feature("2.0", "1.0", #""key":"k""#)])
        // Of several usual names the most specific one is used.
        #expect(try read("x,y,longitude,latitude\n7,8,1,2").records == ["- " + feature("1.0", "2.0", #""x":7,"y":8"#)])
    }

    @Test("Columns whose names differ only in their bytes are two columns")
    func equivalentColumns() throws {
        let reading = try read("lat,lon,\u{E9},e\u{301}\n1,2,a,b\n") { $0.id = "e\u{301}" }
        #expect(reading.error == nil)
        let expected = "b " + feature("2.0", "1.0", "\"\u{E9}\":\"a\",\"e\u{301}\":\"b\"")
        #expect(reading.records.map { Array($0.utf8) } == [Array(expected.utf8)])
    }

    @Test(
        "Rows of delimiters and white space are skipped, also before the header",
        arguments: [
            "lat,lon,a\n,,\n1,2,3\n  \n\n , ,\t\n4,5,6\n,,", "\n,,,\n \nlat,lon,a\r\n\r\n1,2,3\r\n,,\r\n4,5,6\r\n \r\n",
            ";;\nlat;lon;a\n1;2;3\n;;\n4;5;6\n; ;",
        ])
    func emptyRows(_ text: String) throws {
        let reading = try read(text)
        #expect(reading.error == nil)
        #expect(
            reading.records == [feature("2.0", "1.0", #""a":3"#), feature("5.0", "4.0", #""a":6"#)].map { "- " + $0 })
    }

    @Test("A row of empty quotes is a record, and failures keep their lines after empty rows")
    func quotedRows() throws {
        #expect(try read("a,b\n\"\",\"\"\n,\n") { $0.isPlain = true }.records == [#"- {"a":"","b":""}"#])
        #expect(try read("lat,lon\n\n,\n1,x\n").records.map { $0.prefix(2) } == ["4:"])
    }

    @Test(
        "Excel's first line selects the delimiter",
        arguments: [
            "sep=;\r\nlat;lon;a\r\n1;2;x,y", "SEP=|\nlat|lon|a\n1|2|x,y", "\u{FEFF}sep=\t\nlat\tlon\ta\n1\t2\tx,y",
            "\"sep=;\"\nlat;lon;a\n1;2;x,y", "sep=:\n\nlat:lon:a\n1:2:x,y", "sep=;\nlat;lon;a\n1;2;\"x,y\"",
        ])
    func delimiterLine(_ text: String) throws {
        let reading = try read(text)
        #expect(
            reading.error == nil
                && reading.records.map { $0.replacing("x;y", with: "x,y") } == [
                    "- " + feature("2.0", "1.0", #""a":"x,y""#)
                ])
    }

    @Test("A given delimiter comes before that of the first line, which is skipped")
    func givenDelimiter() throws {
        let reading = try read("sep=;\nlat,lon,a;b\n1,2,3") { $0.delimiter = UInt8(ascii: ",") }
        #expect(reading.records == ["- " + feature("2.0", "1.0", #""a;b":3"#)])
    }

    @Test(
        "A line that only resembles Excel's first line is the header", arguments: ["sep=\n1", "sep=;;\n1", "sep=\"\n1"])
    func noDelimiterLine(_ text: String) throws {
        #expect(
            try read(text) { ($0.isPlain, $0.delimiter) = (true, UInt8(ascii: ",")) }.records == [
                "- " + #"{"\#(text.split(separator: "\n")[0].replacing("\"", with: "\\\""))":1}"#
            ])
    }

    @Test("The header shows the delimiter")
    func detection() throws {
        for text in [
            "lat;lon;a\n1;2;3", "lat\tlon\ta\n1\t2\t3", "lat|lon|a\n1|2|3", "\"lat\";\"lon\";\"a\"\n1;2;3",
            "lat,lon,a\n1,2,3",
        ] {
            #expect(try read(text).records == ["- " + feature("2.0", "1.0", #""a":3"#)], "\(text)")
        }
        // Commas and semicolons within names, in quotes or not.
        #expect(
            try read("Ort, Land;lat;lon\nBonn, D;1;2").records == [
                "- " + feature("2.0", "1.0", #""Ort, Land":"Bonn, D""#)
            ])
        #expect(try read("lat,lon,a;b;c;d\n1,2,3").records == ["- " + feature("2.0", "1.0", #""a;b;c;d":3"#)])
        #expect(try read("\"a;b\",lat,lon\n3,1,2").records == ["- " + feature("2.0", "1.0", #""a;b":3"#)])
        #expect(try read("\tlat\tlon\n0\t1\t2").records == ["- " + feature("2.0", "1.0", "")])
        // The options name the columns.
        let named = try read("breite;länge\n1;2") { ($0.latitude, $0.longitude) = ("breite", "länge") }
        #expect(named.records == ["- " + feature("2.0", "1.0", "")])
        // In a plain table, a comma in the header is the delimiter.
        let plain = { (options: inout CSVOptions) in options.isPlain = true }
        #expect(try read("a;b\n1;2", plain).records == [#"- {"a":1,"b":2}"#])
        #expect(try read("a,b;c\n1,2", plain).records == [#"- {"a":1,"b;c":2}"#])
        #expect(try read("a\n1;2", plain).records == [#"- {"a":"1;2"}"#])
        #expect(try read("a;b\nx,y\n", plain).records.first?.contains("--delimiter") == true)
    }

    @Test("An open quote in the header does not hide the delimiter")
    func openQuote() throws {
        let error = try #require(try read("lat;\"lon\n1;2").error)
        #expect(error.line == 1)
    }

    @Test("Decimal commas are numbers if the table shows that they are")
    func decimalCommas() throws {
        let places = try read("lat;lon;a;b\n48,137;-11,5;3,5;1,234\n48;11;-0,5;12\n")
        #expect(
            places.records == [
                "- " + feature("-11.5", "48.137", #""a":3.5,"b":1.234"#),
                "- " + feature("11.0", "48.0", #""a":-0.5,"b":12"#),
            ])
        #expect(try read("lat\tlon\n\"48,137\"\t 11,5 ").records == ["- " + feature("11.5", "48.137", "")])
        let plain = { (options: inout CSVOptions) in options.isPlain = true }
        #expect(try read("a;b\n3,5;1,234\n", plain).records == [#"- {"a":3.5,"b":1.234}"#])
        #expect(try read("a;b\n1e3;2,5e-1\n", plain).records == [#"- {"a":1000.0,"b":0.25}"#])
    }

    @Test(
        "A comma that may mean something else stays in the text",
        arguments: [
            // Thousands, or a decimal mark.
            ("a;b\n1,234;x", #"{"a":"1,234","b":"x"}"#),
            // Numbers with a decimal point.
            ("a;b\n3,5;2.5", #"{"a":"3,5","b":2.5}"#),
            // Lists.
            ("a;b\n1,2;3,5\n1,2,3;4", #"{"a":"1,2","b":3.5}"#),
            // Quotes, zeros and other forms.
            ("a;b\n\"3,5\";0,5", #"{"a":"3,5","b":0.5}"#), ("a;b\n007,5;0,5", #"{"a":"007,5","b":0.5}"#),
            ("a;b\n1.234,5;0,5", #"{"a":"1.234,5","b":0.5}"#), ("a;b\n,5;0,5", #"{"a":",5","b":0.5}"#),
            ("a;b\n5,;0,5", #"{"a":"5,","b":0.5}"#), ("a;b\n--5,5;0,5", #"{"a":"--5,5","b":0.5}"#),
            // Fields separated by commas.
            ("a,b\n\"3,5\",1", #"{"a":"3,5","b":1}"#),
        ])
    func unclearCommas(_ text: String, _ expected: String) throws {
        #expect(try read(text) { $0.isPlain = true }.records[0] == "- " + expected)
    }

    @Test("In a table with commas as delimiters, a coordinate with a comma is a failure")
    func commaInCoordinate() throws {
        #expect(try read("lat,lon\n\"48,1\",2").records[0].contains("not degrees"))
        #expect(try read("lat;lon\n1,2,3;2").records[0].contains("not degrees"))
        #expect(try read("lat;lon\n91,5;2").records[0].contains("out of range"))
    }

    @Test("The rows after the first 256 KB are read as the rows before them")
    func longTable() throws {
        let rows = (0..<40_000).map { "\($0 % 90);\($0 % 180);\($0)" } + ["1,5;2;3,5"]
        let reading = try Reading(Array(("lat;lon;n\n" + rows.joined(separator: "\n")).utf8), cutAt: 9) {
            CSVReader($0)
        }
        // No row of the sample has a decimal comma, so that only the coordinate is clear.
        #expect(reading.records.count == 40_001 && reading.records.last == "- " + feature("2.0", "1.5", #""n":"3,5""#))
    }

    @Test("A row without coordinates has no geometry")
    func nowhere() throws {
        let records = try read("lat,lon,a\n,,1\n,,\n").records
        #expect(records == [#"- {"type":"Feature","geometry":null,"properties":{"a":1}}"#])
    }

    @Test(
        "A row that cannot be read is reported with its line",
        arguments: ["1,2", "1,2,3,4", "x,2,3", "1,,3", "91,2,3", "1,181,3", "1,2,\"a\"b", "1,2,\"a", "nan,2,3"])
    func failures(_ row: String) throws {
        let isOpen = row.hasSuffix("\"a")
        let reading = try read("lat,lon,a\n\"1\",2,\"a\nb\"\n\(row)\(isOpen ? "" : "\n1,2,3\n")")
        #expect(reading.error == nil && reading.records.count == (isOpen ? 2 : 3))
        #expect(reading.records[1].hasPrefix("4: "))
    }

    @Test("A row that is not UTF-8 is a failure of that row only")
    func encoding() throws {
        let reading = try Reading.everywhere(Array("lat,lon,a\n1,2,".utf8) + [0xE9] + Array("\n1,2,3".utf8)) {
            CSVReader($0)
        }
        #expect(reading.records.count == 2 && reading.records[0].hasPrefix("2: "))
    }

    @Test(
        "A header without the needed columns stops the import",
        arguments: ["", "a,b\n1,2", "lat\n1", "lat,lon,a,a\n1,2,3,4", "lat lon\n1 2", " \n;;\n", "sep=;\n"])
    func headers(_ text: String) throws {
        #expect(try read(text).error != nil)
    }
}
