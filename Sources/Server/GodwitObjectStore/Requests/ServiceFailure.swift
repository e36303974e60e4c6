//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ObjectError {
    /// Whether the same request may succeed a moment later.
    var isTransient: Bool { [.network, .overloaded, .storage].contains(code) }

    /// Creates the error for a status of a service.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - reason: The service's code and message; may be empty.
    ///   - request: The request. Its query is not a part of the message.
    ///   - knownCode: The kind of the error; `nil` to derive it from the status.
    ///   - cause: The service's error.
    init(
        status: Int, _ reason: String, _ request: ServiceRequest, code knownCode: Code? = nil,
        cause: (any Error)? = nil
    ) {
        let code = knownCode ?? ObjectError.code(ofStatus: status, request)
        let description = "\(request.description): \(status)\(reason.isEmpty ? "" : " \(reason)")"
        let sentence = [".", "!", "?"].contains(description.suffix(1)) ? description : "\(description)."
        self.init(
            code, [sentence, ObjectError.advice(for: code)].filter { !$0.isEmpty }.joined(separator: " "),
            cause: cause)
    }

    private static func code(ofStatus status: Int, _ request: ServiceRequest) -> Code {
        switch status {
        case 401, 403: .accessDenied
        case 404: missingCode(request)
        case 405, 501: .unsupported
        case 409 where request.name == nil: request.method == "DELETE" ? .containerNotEmpty : .containerExists
        case 412: .preconditionFailed
        case 413: .tooLarge
        case 416: .rangeNotSatisfiable
        case 422: .badDigest
        case 429, 498, 503: .overloaded
        case 507: .diskFull
        case 400..<500: .invalidRequest
        case 500..<600: .storage
        default: .badResponse
        }
    }

    private static func missingCode(_ request: ServiceRequest) -> Code {
        if request.name != nil { return .objectNotFound }
        return request.container == nil ? .accountNotFound : .containerNotFound
    }

    private static func advice(for code: Code) -> String {
        switch code {
        case .accessDenied: "Check the credentials and their rights."
        case .overloaded: "Try again later."
        case .diskFull: "Nothing was stored."
        case .storage: "See the service's log."
        case .badResponse: "Check the address of the service."
        default: ""
        }
    }
}
