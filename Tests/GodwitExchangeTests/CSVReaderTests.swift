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

    @Test("A row without coordinates has no geometry")
    func nowhere() throws {
        let records = try read("lat,lon,a\n,,1\n").records
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
        arguments: ["", "a,b\n1,2", "lat\n1", "lat,lon,a,a\n1,2,3,4", "lat;lon\n1;2"])
    func headers(_ text: String) throws {
        #expect(try read(text).error != nil)
    }
}
