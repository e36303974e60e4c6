//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import NIOSSL

extension GodwitServer {
    /// The certificate and private key of a server for TLS 1.2 and 1.3.
    public struct Certificate: Sendable {
        let configuration: TLSConfiguration

        /// Reads PEM files.
        ///
        /// - Parameters:
        ///   - certificates: The file with the server's certificate, followed by its intermediate certificates.
        ///   - key: The file with its private key, to which only the file's owner has access.
        /// - Throws: ``CertificateError`` when a file cannot be read, when other users have access to the key, or when
        ///   key and certificate do not match.
        public init(certificates: String, key: String) throws(CertificateError) {
            try Certificate.checkAccess(to: key)
            do {
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
                configuration.minimumTLSVersion = .tlsv12
                configuration.cipherSuiteValues = Certificate.cipherSuites
                // This throws an error if the key does not match the certificate.
                _ = try NIOSSLContext(configuration: configuration)
                self.configuration = configuration
            } catch NIOSSLError.failedToLoadCertificate {
                throw CertificateError(
                    description: "\(certificates) cannot be read as a certificate. Use a PEM file.")
            } catch NIOSSLError.failedToLoadPrivateKey {
                throw CertificateError(description: "\(key) cannot be read as a private key. Use a PEM file.")
            } catch {
                throw CertificateError(
                    description: "the certificate \(certificates) and the key \(key) cannot be used: \(error). "
                        + "Use PEM files that belong together.")
            }
        }

        /// The cipher suites for TLS 1.2. All of them have forward secrecy and authenticated encryption, as in
        /// Mozilla's intermediate configuration. No such list is necessary for TLS 1.3, because all its suites have
        /// both properties.
        private static let cipherSuites: [NIOTLSCipher] = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]

        private static func checkAccess(to key: String) throws(CertificateError) {
            var status = stat()
            // A missing file is not reported here. It is reported when the file is read.
            guard stat(key, &status) == 0, status.st_mode & 0o077 != 0 else { return }
            throw CertificateError(
                description: "users other than its owner have access to \(key), which holds a private key. Run "
                    + "`chmod 600 \(key)`, and create a new key if they may have read this one.")
        }
    }

    /// The error when certificate files cannot be used.
    public struct CertificateError: Error, CustomStringConvertible {
        /// The file, its error, and how to correct it.
        public let description: String
    }
}
