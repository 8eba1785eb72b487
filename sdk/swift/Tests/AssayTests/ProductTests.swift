import Foundation
import XCTest
import Assay

/// Against a real product, where the environment names one: the tests of the repository do.
final class ProductTests: XCTestCase {
    func testEventsAreAcceptedByTheProduct() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["ASSAY_URL"], let key = environment["ASSAY_KEY"] else { return }
        let directory = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("assay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let lock = NSLock()
        var outcomes: [String] = []
        var settings = try Settings(url: url, key: key)
        settings.directory = directory
        settings.onVerdict = { verdict in
            lock.lock()
            outcomes.append(verdict.outcome)
            lock.unlock()
        }
        let assay = try Assay(settings)
        for nth in 0..<150 { assay.track("card_moved", ["nth": nth]) }
        let done = expectation(description: "sent")
        var isEmpty = false
        assay.flush { result in
            isEmpty = result
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
        XCTAssertTrue(isEmpty)
        assay.close()
        lock.lock()
        defer { lock.unlock() }
        XCTAssertEqual(outcomes.filter { $0 == "accept" }.count, 151)
    }
}
