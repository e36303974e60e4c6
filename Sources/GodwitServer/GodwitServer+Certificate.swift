//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension GodwitServer {
    /// What a server proves itself with over TLS 1.2 and 1.3.
    public struct Certificate: Sendable {
        let configuration: TLSConfiguration

        /// Reads PEM files.
        ///
        /// - Parameters:
        ///   - certificates: The file of the server's certificate and those that vouch for it.
        ///   - key: The file of its private key, to which its owner alone has access.
        /// - Throws: ``CertificateError`` when a file cannot be read, or others have access to the key.
        public init(certificates: String, key: String) throws(CertificateError) {
            try Certificate.checkAccess(to: key)
            do {
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
                configuration.minimumTLSVersion = .tlsv12
                configuration.cipherSuiteValues = Certificate.cipherSuites
                // Whether the two belong together shows when they are first used: here.
                _ = try NIOSSLContext(configuration: configuration)
                self.configuration = configuration
            } catch NIOSSLError.failedToLoadCertificate {
                throw CertificateError(
                    description: "\(certificates) cannot be read as a certificate. Give a PEM file.")
            } catch NIOSSLError.failedToLoadPrivateKey {
                throw CertificateError(description: "\(key) cannot be read as a private key. Give a PEM file.")
            } catch {
                throw CertificateError(
                    description: "the certificate \(certificates) and the key \(key) cannot be used: \(error). "
                        + "Give PEM files that belong together.")
            }
        }

        /// What TLS 1.2 may use: forward secrecy and authenticated encryption, as Mozilla's intermediate configuration. TLS
        /// 1.3 has nothing else.
        private static let cipherSuites: [NIOTLSCipher] = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]

        private static func checkAccess(to key: String) throws(CertificateError) {
            var status = stat()
            // What is wrong with a file that is not there shows when it is read.
            guard stat(key, &status) == 0, status.st_mode & 0o077 != 0 else { return }
            throw CertificateError(
                description: "others than its owner have access to \(key), which holds a private key. Run "
                    + "`chmod 600 \(key)`, and take a new key if they may have seen this one.")
        }
    }

    /// Files of a certificate that cannot be used, and why.
    public struct CertificateError: Error, CustomStringConvertible {
        /// What is wrong with which file, and what to do.
        public let description: String
    }
}
