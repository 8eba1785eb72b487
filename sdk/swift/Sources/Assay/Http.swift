import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answer to one request; status 0 where there was none.
struct Answer {
    let status: Int
    let body: Data
    /// Seconds that the server asks to wait; 0 where it does not.
    let retryAfterS: Double
}

/// Sends one request and calls back once, on any thread.
protocol Transport: AnyObject {
    func post(_ url: URL, key: String, body: Data, then: @escaping (Answer) -> Void)
}

final class Http: Transport {
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func post(_ url: URL, key: String, body: Data, then: @escaping (Answer) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let task = session.dataTask(with: request) { data, response, error in
            guard error == nil, let http = response as? HTTPURLResponse else {
                then(Answer(status: 0, body: Data(), retryAfterS: 0))
                return
            }
            let wait = Double(http.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 0
            then(Answer(status: http.statusCode, body: data ?? Data(), retryAfterS: max(0, wait)))
        }
        task.resume()
    }
}
