//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectStore
import Testing

// The keys and the signatures are published in the API reference of S3, in the chapter on Signature Version 4.

@Suite("Signature Version 4")
struct SignatureV4Tests {
    /// A request with its published signature.
    struct Example: Sendable {
        let name: String
        let request: SignatureV4.Request
        let signature: String
    }

    private static let accessKey = "AKIAIOSFODNN7EXAMPLE"
    private static let timestamp = "20130524T000000Z"
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let signer = SignatureV4(
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", timestamp: timestamp, region: "us-east-1")

    private static func request(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        _ headers: [(name: String, value: String)] = [], host: String = "examplebucket.s3.amazonaws.com",
        hash: String = emptyHash
    ) -> SignatureV4.Request {
        let signed = [
            (name: "Host", value: host), (name: "x-amz-date", value: timestamp),
            (name: "x-amz-content-sha256", value: hash),
        ]
        return SignatureV4.Request(
            method: method, path: path, query: query, headers: headers + signed, payloadHash: hash)
    }

    static let examples = [
        Example(
            name: "GET Object",
            request: request("GET", "/test.txt", [(name: "Range", value: "bytes=0-9")]),
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            name: "PUT Object",
            request: request(
                "PUT", "/test%24file.text",
                [
                    (name: "Date", value: "Fri, 24 May 2013 00:00:00 GMT"),
                    (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
                ],
                hash: SignatureV4.digest(of: "Welcome to Amazon S3.".utf8)),
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            name: "GET Bucket Lifecycle", request: request("GET", "/", query: [(name: "lifecycle", value: "")]),
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            name: "List Objects",
            request: request("GET", "/", query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")]),
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("The published requests have the published signatures", arguments: examples)
    func requests(example: Example) {
        #expect(Self.signer.signature(of: example.request) == example.signature, "\(example.name)")
    }

    @Test("The published canonical request and text to sign")
    func texts() {
        let request = Self.examples[0].request
        #expect(
            request.canonicalText == """
                GET
                /test.txt

                host:examplebucket.s3.amazonaws.com
                range:bytes=0-9
                x-amz-content-sha256:\(Self.emptyHash)
                x-amz-date:20130524T000000Z

                host;range;x-amz-content-sha256;x-amz-date
                \(Self.emptyHash)
                """)
        #expect(
            Self.signer.textToSign(for: request) == """
                AWS4-HMAC-SHA256
                20130524T000000Z
                20130524/us-east-1/s3/aws4_request
                7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972
                """)
    }

    @Test("The published temporary URL has the published signature")
    func temporaryURL() {
        let request = SignatureV4.Request(
            method: "GET", path: "/test.txt",
            query: [
                (name: "X-Amz-Algorithm", value: SignatureV4.algorithm),
                (name: "X-Amz-Credential", value: "\(Self.accessKey)/\(Self.signer.scope)"),
                (name: "X-Amz-Date", value: Self.timestamp), (name: "X-Amz-Expires", value: "86400"),
                (name: "X-Amz-SignedHeaders", value: "host"),
            ],
            headers: [(name: "host", value: "examplebucket.s3.amazonaws.com")],
            payloadHash: SignatureV4.unsignedPayload)
        #expect(
            Self.signer.signature(of: request)
                == "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    /// The digests of the chunks of the published uploads: 64 KiB, 1 KiB and no bytes.
    private static let chunkDigests = [65_536, 1_024, 0].map { count in
        SignatureV4.digest(of: [UInt8](repeating: UInt8(ascii: "a"), count: count))
    }

    private static func chunkSignatures(after signature: String) -> [String] {
        chunkDigests.reduce(into: [signature]) { signatures, digest in
            let previous = signatures[signatures.count - 1]
            signatures.append(signer.chunkSignature(digest: digest, previous: previous))
        }
    }

    private static let chunkHeaders = [
        (name: "Content-Encoding", value: "aws-chunked"),
        (name: "x-amz-decoded-content-length", value: "66560"),
        (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
    ]

    @Test("The published upload in chunks has the published signatures")
    func chunks() {
        let request = Self.request(
            "PUT", "/examplebucket/chunkObject.txt",
            Self.chunkHeaders + [(name: "Content-Length", value: "66824")], host: "s3.amazonaws.com",
            hash: SignatureV4.streamingPayload)
        #expect(
            Self.chunkSignatures(after: Self.signer.signature(of: request)) == [
                "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
            ])
    }

    @Test("The published upload in chunks with a trailer has the published signatures")
    func trailer() {
        let request = Self.request(
            "PUT", "/examplebucket/chunkObject.txt",
            Self.chunkHeaders + [(name: "x-amz-trailer", value: "x-amz-checksum-crc32c")],
            host: "s3.amazonaws.com", hash: SignatureV4.streamingPayloadWithTrailer)
        let signatures = Self.chunkSignatures(after: Self.signer.signature(of: request))
        #expect(
            signatures == [
                "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
                "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
                "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
                "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
            ])
        #expect(
            Self.signer.trailerSignature(
                [(name: "x-amz-checksum-crc32c", value: "sOO8/Q==")], previous: signatures[3])
                == "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435")
    }

    @Test("The order and the case of headers and the order of the query do not change the signature")
    func order() {
        let query = [(name: "b", value: ""), (name: "a", value: "2"), (name: "a", value: "1 +/é")]
        let headers = [(name: "X-Amz-B", value: "  two   words "), (name: "x-amz-a", value: "1")]
        let request = Self.request("GET", "/", query: query, headers)
        let other = Self.request("GET", "/", query: query.reversed(), headers.reversed())
        #expect(request.canonicalText == other.canonicalText)
        #expect(request.canonicalText.contains("\na=1%20%2B%2F%C3%A9&a=2&b=\n"))
        #expect(request.canonicalText.contains("\nx-amz-a:1\nx-amz-b:two words\n"))
    }

    @Test("Headers with equal names are joined in their order")
    func equalHeaders() {
        let request = Self.request("GET", "/", [(name: "x-amz-a", value: "2"), (name: "X-Amz-A", value: "1")])
        #expect(request.canonicalText.contains("\nx-amz-a:2,1\n"))
        #expect(request.signedHeaders == "host;x-amz-a;x-amz-content-sha256;x-amz-date")
    }

    @Test(
        "A timestamp is the time in UTC",
        arguments: [
            (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_369_353_600, "20130524T000000Z"),
            (4_102_444_799, "20991231T235959Z"),
        ])
    func timestamps(seconds: Int, text: String) {
        #expect(SignatureV4.timestamp(seconds) == text)
        #expect(SignatureV4.seconds(ofTimestamp: text) == seconds)
    }

    @Test(
        "Other texts are no timestamps",
        arguments: [
            "", "20130524", "20130524T000000", "20130524T0000000", "20130524t000000z", "20130532T000000Z",
            "20130229T000000Z", "20130524T240000Z", "2013-524T000000Z", "2013052éT00000Z",
        ])
    func invalidTimestamps(text: String) {
        #expect(SignatureV4.seconds(ofTimestamp: text) == nil)
    }
}
