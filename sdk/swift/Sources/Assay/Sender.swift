import Foundation

/// Sends what is queued: in batches, in order, one request at a time. Everything here runs on one serial queue, which
/// also guards the disk.
final class Sender {
    private static let batchEventsMax = 100
    private static let batchBytesMax = 512 * 1024
    /// Pauses after failures in a row, half of each random.
    private static let pausesS: [Double] = [1, 8, 64, 300]

    private let work: DispatchQueue
    /// Calls into the app, which may call us in turn.
    private let callbacks = DispatchQueue(label: "dev.assay.callbacks")
    private let queue: DiskQueue
    private let losses: Losses
    private let transport: Transport
    private let url: URL
    private let key: String
    private let flushIntervalS: Double
    private let now: () -> Date
    private let onVerdict: ((Verdict) -> Void)?
    private var eventsMax = Sender.batchEventsMax
    private var failures = 0
    private var notBefore = DispatchTime.now()
    private var isSending = false
    private var isScheduled = false
    /// The key was refused: nothing more is sent by this process, and the queue stays for the next.
    private var isRefused = false
    private var isClosed = false
    private var waiting: [(Bool) -> Void] = []

    init(_ settings: Settings, work: DispatchQueue, queue: DiskQueue, losses: Losses, transport: Transport) {
        self.work = work
        self.queue = queue
        self.losses = losses
        self.transport = transport
        url = settings.url
        key = settings.key
        flushIntervalS = settings.flushIntervalS
        now = settings.now
        onVerdict = settings.onVerdict
    }

    /// Call on the serial queue, as everything below.
    func wake(isNow: Bool) {
        if isNow || queue.count >= eventsMax {
            sendNext()
        } else if !isScheduled {
            isScheduled = true
            work.asyncAfter(deadline: .now() + flushIntervalS) { [weak self] in
                self?.isScheduled = false
                self?.sendNext()
            }
        }
    }

    /// Calls back with true when nothing is left, and with false when the network or the server does not allow it.
    func drain(_ then: @escaping (Bool) -> Void) {
        waiting.append(then)
        sendNext()
        if !isSending { answerWaiting() }
    }

    func close() {
        isClosed = true
        answerWaiting()
    }

    private func answerWaiting() {
        let called = waiting
        waiting = []
        let isEmpty = queue.count == 0
        if !called.isEmpty { callbacks.async { for callback in called { callback(isEmpty) } } }
    }

    private func sendNext() {
        guard !isSending, !isRefused, !isClosed, queue.count > 0, DispatchTime.now() >= notBefore else { return }
        let batch = ofOneKind(queue.first(countMax: eventsMax, bytesMax: Self.batchBytesMax))
        let isConsent = batch[0].text.hasPrefix("C")
        let path = isConsent ? "/v1/consent" : "/v1/batch"
        let body = isConsent ? String(batch[0].text.dropFirst()) : bodyOf(batch)
        guard let address = URL(string: url.absoluteString + path) else { return }
        isSending = true
        transport.post(address, key: key, body: Data(body.utf8)) { [weak self] answer in
            guard let self = self else { return }
            self.work.async {
                self.isSending = false
                self.settle(batch, isConsent: isConsent, answer)
            }
        }
    }

    /// A consent is a call of its own, before the events that follow it.
    private func ofOneKind(_ lines: [DiskQueue.Line]) -> [DiskQueue.Line] {
        if let first = lines.first, first.text.hasPrefix("C") { return [first] }
        return Array(lines.prefix(while: { !$0.text.hasPrefix("C") }))
    }

    /// `sent_at` is of this attempt, so that a wrong clock of the device shifts no event.
    private func bodyOf(_ batch: [DiskQueue.Line]) -> String {
        let events = batch.map { String($0.text.dropFirst()) }.joined(separator: ",")
        return "{\"sent_at\":\(Time.milliseconds(now())),\"batch\":[\(events)]}"
    }

    private func settle(_ batch: [DiskQueue.Line], isConsent: Bool, _ answer: Answer) {
        switch answer.status {
        case 200..<300:
            done(batch)
            failures = 0
            if !isConsent { report(answer.body) }
        case 401, 403:
            isRefused = true
            losses.add("refused")
        case 413 where batch.count > 1:
            eventsMax = max(1, batch.count / 4)
            pause(answer.retryAfterS)
        case 0, 408, 429, 500...:
            pause(answer.retryAfterS)
        default:
            // The same would be refused again.
            losses.add("http_\(answer.status)", batch.count)
            done(batch)
            pause(answer.retryAfterS)
        }
        sendNext()
        if !isSending { answerWaiting() }
    }

    private func done(_ batch: [DiskQueue.Line]) {
        do {
            try queue.remove(batch)
        } catch {
            losses.add("disk")
        }
    }

    private func pause(_ retryAfterS: Double) {
        let longest = Self.pausesS[min(failures, Self.pausesS.count - 1)]
        failures += 1
        let pauseS = max(Double.random(in: longest / 2...longest), retryAfterS)
        notBefore = .now() + pauseS
        work.asyncAfter(deadline: notBefore) { [weak self] in self?.sendNext() }
    }

    private func report(_ body: Data) {
        guard let onVerdict = onVerdict else { return }
        guard let answer = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] else { return }
        let results = answer["results"] as? [[String: Any]] ?? []
        callbacks.async { for result in results { onVerdict(Verdict(result: result)) } }
    }
}
