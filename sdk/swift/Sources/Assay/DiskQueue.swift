import Foundation

/// Lines in files of a directory, first in, first out. A line is with the system when `add` returns, so a killed app
/// loses none. What was sent is passed over by a position that is written after it: a kill in between repeats lines,
/// and never skips one.
///
/// Not thread-safe: its owner locks.
final class DiskQueue {
    struct Line {
        let text: String
        let bytes: Int
        let file: Int
        let index: Int
    }

    /// A file is deleted when all of it was sent; small ones free their space early.
    private static let fileBytesMax = 256 * 1024
    private static let unsavedMax = 100

    private let directory: URL
    private let linesMax: Int
    private let bytesMax: Int
    private var lines: [Line] = []
    private var bytes = 0
    private var firstFile = 1
    private var lastFile = 0
    private var lastFileBytes = 0
    private var nextIndex = 0
    private var unsaved = 0
    private var out: FileHandle?

    init(directory: URL, linesMax: Int, bytesMax: Int) throws {
        self.directory = directory
        self.linesMax = linesMax
        self.bytesMax = bytesMax
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        readAll()
    }

    var count: Int { lines.count }

    /// Adds a line and answers how many old ones had to go for it.
    func add(_ text: String) throws -> Int {
        let data = Data((text + "\n").utf8)
        if out == nil || lastFileBytes >= Self.fileBytesMax { try openNextFile() }
        try write(data)
        lastFileBytes += data.count
        lines.append(Line(text: text, bytes: data.count, file: lastFile, index: nextIndex))
        nextIndex += 1
        bytes += data.count
        var dropped = 0
        while dropped < lines.count - 1, lines.count - dropped > linesMax || bytes > bytesMax {
            bytes -= lines[dropped].bytes
            dropped += 1
        }
        lines.removeFirst(dropped)
        // Each one would cost a write to the disk. A kill before it brings some of them back, once.
        unsaved += dropped
        if unsaved >= Self.unsavedMax { try savePosition() }
        return dropped
    }

    /// The oldest lines, up to so many and so many bytes, at least one if there is one.
    func first(countMax: Int, bytesMax: Int) -> [Line] {
        var batch: [Line] = []
        var sum = 0
        for line in lines {
            sum += line.bytes
            if batch.count == countMax || (sum > bytesMax && !batch.isEmpty) { break }
            batch.append(line)
        }
        return batch
    }

    /// These were sent, or refused for good. Some of them may have been dropped meanwhile.
    func remove(_ done: [Line]) throws {
        guard let last = done.last else { return }
        var count = 0
        for line in lines {
            let isDone = line.file < last.file || (line.file == last.file && line.index <= last.index)
            if !isDone { break }
            bytes -= line.bytes
            count += 1
        }
        lines.removeFirst(count)
        try savePosition()
    }

    func clear() throws {
        lines.removeAll()
        bytes = 0
        try savePosition()
    }

    /// To the disk itself, beyond the memory of the system.
    func force() throws {
        try out?.synchronize()
    }

    func close() throws {
        if unsaved > 0 { try savePosition() }
        try force()
        try out?.close()
        out = nil
    }

    private func write(_ data: Data) throws {
        guard let handle = out else { throw CocoaError(.fileWriteUnknown) }
        try handle.write(contentsOf: data)
    }

    private func openNextFile() throws {
        if let handle = out {
            try handle.synchronize()
            try handle.close()
            out = nil
        }
        let number = lastFile + 1
        let url = fileUrl(number)
        if !FileManager.default.fileExists(atPath: url.path) {
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        let handle = try FileHandle(forWritingTo: url)
        _ = try handle.seekToEnd()
        out = handle
        lastFile = number
        lastFileBytes = 0
        nextIndex = 0
    }

    private func fileUrl(_ number: Int) -> URL {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return directory.appendingPathComponent("queue-\(padded).ndjson")
    }

    private var positionUrl: URL { directory.appendingPathComponent("position") }

    private func savePosition() throws {
        let file = lines.first?.file ?? lastFile + 1
        let index = lines.first?.index ?? 0
        // A file of which everything was sent is not written to again.
        if lines.isEmpty, let handle = out {
            try handle.close()
            out = nil
        }
        try Data("\(file) \(index)".utf8).write(to: positionUrl, options: .atomic)
        unsaved = 0
        var old = firstFile
        while old < file {
            try? FileManager.default.removeItem(at: fileUrl(old))
            old += 1
        }
        firstFile = max(firstFile, file)
        if lines.isEmpty { lastFile = max(lastFile, file - 1) }
    }

    private func readAll() {
        var file = 1
        var index = 0
        if let text = try? String(contentsOf: positionUrl, encoding: .utf8) {
            let parts = text.split(separator: " ").map { Int($0) }
            if parts.count == 2, let savedFile = parts[0], let savedIndex = parts[1] {
                file = max(1, savedFile)
                index = max(0, savedIndex)
            }
        }
        firstFile = file
        let numbers = fileNumbers()
        for number in numbers {
            if number < file {
                try? FileManager.default.removeItem(at: fileUrl(number))
            } else {
                readFile(number, from: number == file ? index : 0)
            }
        }
        lastFile = max(file - 1, numbers.last ?? 0)
    }

    private func fileNumbers() -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let found = names.compactMap { name -> Int? in
            guard name.hasPrefix("queue-"), name.hasSuffix(".ndjson") else { return nil }
            return Int(name.dropFirst("queue-".count).dropLast(".ndjson".count))
        }
        return found.sorted()
    }

    /// The last line of a killed app may be cut off: without its end it is none.
    private func readFile(_ number: Int, from first: Int) {
        guard let data = try? Data(contentsOf: fileUrl(number)) else { return }
        let newline = UInt8(ascii: "\n")
        guard let end = data.lastIndex(of: newline) else { return }
        var index = 0
        for part in data[data.startIndex..<end].split(separator: newline, omittingEmptySubsequences: false) {
            defer { index += 1 }
            guard index >= first, let text = String(data: Data(part), encoding: .utf8), !text.isEmpty else { continue }
            lines.append(Line(text: text, bytes: part.count + 1, file: number, index: index))
            bytes += part.count + 1
        }
    }
}
