//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectStore
import Testing

@Suite("XML")
struct XMLReaderTests {
    private func read(_ text: String) throws(XMLError) -> XMLElement { try XMLReader.read(Array(text.utf8)) }

    @Test("A list of S3 is read as a tree, without prefixes, attributes and instructions")
    func list() throws {
        let root = try read(
            """
            \u{feff}<?xml version="1.0" encoding="UTF-8"?>
            <!-- a list -->
            <s3:List xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/" note='a > b'>
              <Contents><Key>a</Key><Size >1</Size ></Contents>
              <Contents><Key>b</Key><Size/></Contents>
              <Prefix />
            </s3:List>
            <!-- the end -->

            """)
        #expect(root.name == "List")
        #expect(root.all("Contents").map { $0["Key"]?.text } == ["a", "b"])
        #expect(root["Contents"]?["Size"]?.text == "1")
        #expect(root["Prefix"] == XMLElement("Prefix"))
        #expect(root["Owner"] == nil)
    }

    @Test(
        "References and character data are text",
        arguments: [
            ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&#65;&#x42;&#x1F600;&#1;", "AB\u{1F600}\u{1}"),
            ("a<![CDATA[<b> & ]] ]]>c", "a<b> & ]] c"), ("a<!-- - -->b<?x y?>c", "abc"), ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("<i>1</i> é <i/>", " é "), ("&#13;", "\r"), ("", ""),
        ])
    func text(content: String, text: String) throws {
        #expect(try read("<a>\(content)</a>").text == text)
    }

    @Test(
        "Documents that are not well-formed are refused",
        arguments: [
            "", " ", "text", "<a>", "<a", "<a/", "</a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a/>text",
            "text<a/>",
            "<a>&</a>", "<a>&amp</a>", "<a>&unknown;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>",
            "<a>&#+1;</a>", "<a>&#;</a>", "<a>\u{0}</a>", "<a>\u{1}</a>", "<a b/>", "<a b=c/>", "<a b=\"c/>",
            "<a b=\"<\"/>",
            "<a b=\"c\"d=\"e\"/>", "< a/>", "<1/>", "<-a/>", "<a><!-- </a>", "<a><![CDATA[ </a>", "<![CDATA[a]]>",
            "<?xml",
            "<a></a b>", "<é></e>",
        ])
    func malformed(text: String) {
        #expect(throws: XMLError.self) { try read(text) }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func encoding() {
        #expect(throws: XMLError.self) { try XMLReader.read(Array("<a>".utf8) + [0xff] + Array("</a>".utf8)) }
    }

    @Test(
        "A document type is refused, wherever it is",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
            "<a><!ENTITY b \"c\"></a>", "<!doctype a><a/>",
        ])
    func documentTypes(text: String) {
        let error = #expect(throws: XMLError.self) { try read(text) }
        #expect(error?.description == "The XML has a document type, which is not permitted.")
    }

    @Test("Elements are nested up to the limit")
    func depth() throws {
        let nested = { (depth: Int) in
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try read(nested(XMLReader.depthMax)).children.count == 1)
        #expect(throws: XMLError.self) { try read(nested(XMLReader.depthMax + 1)) }
        #expect(throws: XMLError.self) { try read(String(repeating: "<a>", count: 1_000_000)) }
    }

    @Test("A document has elements up to the limit")
    func count() throws {
        let list = { (count: Int) in "<a>\(String(repeating: "<b/>", count: count - 1))</a>" }
        #expect(try read(list(XMLReader.elementsMax)).children.count == XMLReader.elementsMax - 1)
        #expect(throws: XMLError.self) { try read(list(XMLReader.elementsMax + 1)) }
    }

    @Test("What is written is read again, with control characters")
    func roundTrip() throws {
        let text = "a<b>&\"'\u{1}\t\r\n\u{7f} é \u{1F600} ]]>"
        var xml = XMLWriter()
        xml.open("List", [(name: "xmlns", value: "http://s3.example/?a=\"b\"&c"), (name: "note", value: text)])
        xml.element("Key", text)
        xml.open("Empty")
        xml.close()
        xml.close()
        let root = try XMLReader.read(xml.bytes)
        #expect(root == XMLElement("List", children: [XMLElement("Key", text: text), XMLElement("Empty")]))
        #expect(xml.bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") })
    }

    @Test("The written document")
    func writing() {
        var xml = XMLWriter()
        xml.open("Error")
        xml.element("Code", "NoSuchKey")
        xml.element("Key", "a&b\u{1}")
        xml.close()
        #expect(
            String(decoding: xml.bytes, as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <Error><Code>NoSuchKey</Code><Key>a&amp;b&#x1;</Key></Error>
                """)
    }
}
