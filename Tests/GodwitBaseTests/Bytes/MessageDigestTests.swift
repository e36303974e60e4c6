//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Digests")
struct MessageDigestTests {
    @Test(
        "The test vectors of FIPS 180-4 and RFC 1321",
        arguments: [
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ] as [(MessageDigest.Algorithm, String, String)])
    func vectors(algorithm: MessageDigest.Algorithm, text: String, digest: String) {
        #expect(algorithm.digest(of: text.utf8).hexadecimal == digest)
        #expect(algorithm.digest(of: text.utf8).count == algorithm.byteCount)
    }

    @Test(
        "Bytes in parts have the same digest as all bytes together", arguments: [MessageDigest.Algorithm.sha256, .md5])
    func parts(algorithm: MessageDigest.Algorithm) {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 37) }
        for cut in [0, 1, 63, 64, 65, 999, 1_000] {
            var digest = MessageDigest(algorithm)
            digest.update(bytes[..<cut])
            digest.update(bytes[cut...].lazy.map { $0 })
            #expect(digest.finish() == algorithm.digest(of: bytes))
        }
    }

    @Test("A copy continues independently")
    func copies() {
        var first = MessageDigest(.sha256)
        first.update("a".utf8)
        var second = first
        second.update("b".utf8)
        first.update("c".utf8)
        #expect(first.finish() == MessageDigest.Algorithm.sha256.digest(of: "ac".utf8))
        #expect(second.finish() == MessageDigest.Algorithm.sha256.digest(of: "ab".utf8))
    }
}
