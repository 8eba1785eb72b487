import Foundation
@testable import Assay

/// A server in memory that answers what the test says, and remembers what it was sent.
final class FakeTransport: Transport {
    struct Request {
        let path: String
        let body: [String: Any]
    }

    private let lock = NSLock()
    private var answers: [Answer] = []
    private var received: [Request] = []

    /// The next answers in order; after them every request succeeds.
    func answer(_ status: Int, retryAfterS: Double = 0) {
        lock.lock()
        answers.append(Answer(status: status, body: Data(), retryAfterS: retryAfterS))
        lock.unlock()
    }

    var requests: [Request] {
        lock.lock()
        defer { lock.unlock() }
        return received
    }

    var events: [[String: Any]] { requests.flatMap { $0.body["batch"] as? [[String: Any]] ?? [] } }

    func post(_ url: URL, key: String, body: Data, then: @escaping (Answer) -> Void) {
        let object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        lock.lock()
        received.append(Request(path: url.path, body: object ?? [:]))
        let next = answers.isEmpty ? Answer(status: 200, body: Data("{}".utf8), retryAfterS: 0) : answers.removeFirst()
        lock.unlock()
        then(next)
    }
}
