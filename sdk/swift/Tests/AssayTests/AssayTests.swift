import Foundation
import XCTest
@testable import Assay

final class AssayTests: XCTestCase {
    private var directory = URL(fileURLWithPath: NSTemporaryDirectory())
    private var server = FakeTransport()

    override func setUpWithError() throws {
        directory = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("assay-\(UUID().uuidString)")
        server = FakeTransport()
    }

    override func tearDownWithError() throws {
        try? FileManager.default.removeItem(at: directory)
    }

    private func client(_ change: (inout Settings) -> Void = { _ in }) throws -> Assay {
        var settings = try Settings(url: "https://assay.example/", key: "pk_live_x")
        settings.directory = directory
        settings.flushIntervalS = 60
        change(&settings)
        return try Assay(settings, transport: server)
    }

    @discardableResult
    private func flush(_ assay: Assay) -> Bool {
        let done = expectation(description: "flushed")
        var isEmpty = false
        assay.flush { result in
            isEmpty = result
            done.fulfill()
        }
        wait(for: [done], timeout: 10)
        return isEmpty
    }

    private func numbers() -> [Int] {
        server.events.compactMap { ($0["properties"] as? [String: Any])?["nth"] as? Int }
    }

    func testAnEventHasItsIdTimeVisitorSessionAndContext() throws {
        let moment = Date(timeIntervalSince1970: 1_790_000_000.25)
        let assay = try client { $0.now = { moment } }
        let id = assay.track("card_moved", ["nth": 1, "isLast": true, "price": 2.5, "tags": ["a"], "none": NSNull()])
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(server.requests.map(\.path), ["/v1/batch"])
        XCTAssertEqual(server.requests[0].body["sent_at"] as? Int64, 1_790_000_000_250)
        let event = try XCTUnwrap(server.events.last)
        XCTAssertEqual(event["event"] as? String, "card_moved")
        XCTAssertEqual(event["event_id"] as? String, id)
        XCTAssertEqual(event["ts"] as? String, "2026-09-21T14:13:20.250Z")
        XCTAssertEqual(event["anonymous_id"] as? String, assay.anonymousId)
        XCTAssertNotNil(event["session_id"] as? String)
        let library = (event["context"] as? [String: Any])?["library"] as? [String: Any]
        XCTAssertEqual(library?["name"] as? String, "assay-swift")
        XCTAssertEqual(server.events.first?["event"] as? String, "$session_start")
    }

    func testManyEventsAreSentInBatchesInOrder() throws {
        let assay = try client()
        for nth in 0..<250 { assay.track("card_moved", ["nth": nth]) }
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(numbers(), Array(0..<250))
        XCTAssertEqual(assay.queued, 0)
    }

    func testWhatAKilledAppLeftIsSentByTheNextStart() throws {
        server.answer(0)
        let killed = try client()
        for nth in 0..<30 { killed.track("card_moved", ["nth": nth]) }
        XCTAssertFalse(flush(killed))
        // No close: the system gives no notice.
        server = FakeTransport()
        let next = try client()
        XCTAssertTrue(flush(next))
        XCTAssertEqual(numbers(), Array(0..<30))
    }

    func testATornLastLineIsNoEvent() throws {
        server.answer(0)
        let first = try client()
        first.track("card_moved", ["nth": 1])
        XCTAssertFalse(flush(first))
        first.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let name = try XCTUnwrap(names.first { $0.hasPrefix("queue-") })
        let handle = try FileHandle(forWritingTo: directory.appendingPathComponent(name))
        _ = try handle.seekToEnd()
        try handle.write(contentsOf: Data("E{\"event\":\"card".utf8))
        try handle.close()
        server = FakeTransport()
        let next = try client()
        next.track("card_moved", ["nth": 2])
        XCTAssertTrue(flush(next))
        XCTAssertEqual(numbers(), [1, 2])
    }

    func testTheQueueIsBoundedAndTheOldestAreCounted() throws {
        server.answer(0)
        let assay = try client { $0.queueEventsMax = 100 }
        for nth in 0..<500 { assay.track("card_moved", ["nth": nth]) }
        XCTAssertFalse(flush(assay))
        XCTAssertEqual(assay.queued, 100)
        XCTAssertEqual(assay.losses["queue_full"], 401)
    }

    func testABusyServerIsLeftAlone() throws {
        server.answer(503, retryAfterS: 60)
        let assay = try client()
        assay.track("card_moved", ["nth": 1])
        XCTAssertFalse(flush(assay))
        XCTAssertFalse(flush(assay))
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertEqual(assay.queued, 2)
    }

    func testARefusedKeyStopsSendingAndKeepsTheEvents() throws {
        server.answer(401)
        let assay = try client()
        assay.track("card_moved", ["nth": 1])
        XCTAssertFalse(flush(assay))
        XCTAssertFalse(flush(assay))
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertEqual(assay.losses, ["refused": 1])
        XCTAssertEqual(assay.queued, 2)
    }

    func testARefusedBatchIsCountedAndLeavesTheRest() throws {
        server.answer(422)
        let assay = try client()
        assay.track("card_moved", ["nth": 1])
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(assay.losses, ["http_422": 2])
    }

    func testBeforeTheChoiceNothingIsStoredOrSent() throws {
        let assay = try client { $0.consent = .pending }
        assay.track("card_moved", ["nth": 1])
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(server.requests.count, 0)
        XCTAssertEqual(assay.queued, 1)
        XCTAssertEqual(assay.anonymousId, "")
        assay.setConsent(.granted)
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(server.requests.map(\.path), ["/v1/consent", "/v1/batch"])
        XCTAssertEqual(numbers(), [1])
    }

    func testARefusalIsAllThatIsStored() throws {
        let assay = try client { $0.consent = .pending }
        assay.track("card_moved", ["nth": 1])
        assay.setConsent(.denied)
        assay.track("card_moved", ["nth": 2])
        assay.close()
        let next = try client()
        next.track("card_moved", ["nth": 3])
        XCTAssertTrue(flush(next))
        XCTAssertEqual(server.requests.count, 0)
        let stored = try String(contentsOf: directory.appendingPathComponent("device"), encoding: .utf8)
        XCTAssertEqual(stored, "{\"consent\":\"denied\"}")
    }

    func testAWithdrawalReachesTheServer() throws {
        let assay = try client()
        assay.track("card_moved", ["nth": 1])
        XCTAssertTrue(flush(assay))
        assay.setConsent(.denied)
        assay.track("card_moved", ["nth": 2])
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(server.requests.map(\.path), ["/v1/batch", "/v1/consent"])
    }

    func testASessionEndsAfterHalfAnHour() throws {
        var moment = Date()
        let assay = try client { $0.now = { moment } }
        assay.screen("Cart")
        assay.onBackground()
        moment += 600
        assay.onForeground()
        assay.screen("Checkout")
        moment += 3_600
        assay.onForeground()
        XCTAssertTrue(flush(assay))
        let starts = server.events.filter { $0["event"] as? String == "$session_start" }
        XCTAssertEqual(starts.count, 2)
    }

    func testAPersonIsNamedAndForgotten() throws {
        let assay = try client()
        assay.identify("u_1", traits: ["plan": "pro"])
        assay.track("card_moved", ["nth": 1])
        let before = assay.anonymousId
        assay.reset()
        assay.track("card_moved", ["nth": 2])
        XCTAssertTrue(flush(assay))
        let moved = server.events.filter { $0["event"] as? String == "card_moved" }
        XCTAssertEqual(moved.first?["user_id"] as? String, "u_1")
        XCTAssertNil(moved.last?["user_id"])
        XCTAssertNotEqual(assay.anonymousId, before)
    }

    func testWhatCannotBeWrittenIsCounted() throws {
        let assay = try client()
        assay.track("card_moved", ["view": self])
        assay.track("card_moved", ["text": String(repeating: "x", count: 40_000)])
        assay.track("card_moved", ["nth": 1, "rate": Double.nan])
        XCTAssertTrue(flush(assay))
        XCTAssertEqual(assay.losses, ["unserialisable": 1, "too_large": 1])
        XCTAssertEqual(numbers(), [1])
    }

    func testOnlyPublicKeysAreTaken() {
        XCTAssertThrowsError(try Settings(url: "https://assay.example", key: "sk_live_x"))
        XCTAssertThrowsError(try Settings(url: "assay.example", key: "pk_live_x"))
    }
}
