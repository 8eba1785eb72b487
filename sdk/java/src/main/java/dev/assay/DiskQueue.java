package dev.assay;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lines in files of a directory, first in, first out. A line is with the system when `add` returns, so a killed
 * process loses none; `force` brings it to the disk, so that a power cut loses none either. What was sent is passed
 * over by a position that is written after it: a kill in between repeats lines, and never skips one.
 *
 * Not thread-safe: its owner locks.
 */
final class DiskQueue implements Closeable {
    /** A file is deleted when all of it was sent; small ones free their space early. */
    private static final int FILE_BYTES_MAX = 256 * 1024;

    private static final int UNSAVED_MAX = 100;

    private final File directory;
    private final int linesMax;
    private final long bytesMax;
    private final RandomAccessFile lockFile;
    private final FileLock lock;
    private final ArrayDeque<Line> lines = new ArrayDeque<>();
    private long bytes;
    private long lastFile;
    private long lastFileBytes;
    private FileOutputStream out;
    private int nextIndex;
    private long firstFile = 1;
    private int unsaved;

    /** Where a line lies: its file, and how many lines are before it in there. */
    static final class Line {
        final String text;
        final int bytes;
        final long file;
        final int index;

        Line(String text, int bytes, long file, int index) {
            this.text = text;
            this.bytes = bytes;
            this.file = file;
            this.index = index;
        }
    }

    DiskQueue(File directory, int linesMax, long bytesMax) throws IOException {
        this.directory = directory;
        this.linesMax = linesMax;
        this.bytesMax = bytesMax;
        if (!directory.isDirectory() && !directory.mkdirs()) throw new IOException("Cannot make " + directory);
        lockFile = new RandomAccessFile(new File(directory, "lock"), "rw");
        lock = tryLock();
        if (lock == null) {
            lockFile.close();
            throw new IOException("Another client uses " + directory);
        }
        read();
    }

    private FileLock tryLock() throws IOException {
        try {
            return lockFile.getChannel().tryLock();
        } catch (java.nio.channels.OverlappingFileLockException error) {
            // Another client of this very process.
            return null;
        }
    }

    int size() {
        return lines.size();
    }

    /** Adds a line and answers how many old ones had to go for it. */
    int add(String text) throws IOException {
        byte[] encoded = (text + "\n").getBytes(StandardCharsets.UTF_8);
        if (out == null || lastFileBytes >= FILE_BYTES_MAX) nextFile();
        out.write(encoded);
        lastFileBytes += encoded.length;
        lines.addLast(new Line(text, encoded.length, lastFile, nextIndex++));
        bytes += encoded.length;
        int dropped = 0;
        while (lines.size() > linesMax || bytes > bytesMax && lines.size() > 1) {
            bytes -= lines.removeFirst().bytes;
            dropped++;
        }
        // Each one would cost a write to the disk. A kill before it brings some of them back, once.
        unsaved += dropped;
        if (unsaved >= UNSAVED_MAX) savePosition();
        return dropped;
    }

    /** The oldest lines, up to so many and so many bytes, at least one if there is one. */
    List<Line> first(int countMax, long batchBytesMax) {
        List<Line> batch = new ArrayList<>();
        long sum = 0;
        for (Line line : lines) {
            sum += line.bytes;
            if (batch.size() == countMax || sum > batchBytesMax && !batch.isEmpty()) break;
            batch.add(line);
        }
        return batch;
    }

    /** These were sent, or refused for good. Some of them may have been dropped meanwhile. */
    void remove(List<Line> done) throws IOException {
        for (Line line : done) {
            if (lines.peekFirst() != line) continue;
            lines.removeFirst();
            bytes -= line.bytes;
        }
        savePosition();
    }

    void clear() throws IOException {
        lines.clear();
        bytes = 0;
        savePosition();
    }

    /** To the disk itself, beyond the memory of the system. */
    void force() throws IOException {
        if (out != null) out.getFD().sync();
    }

    @Override
    public void close() throws IOException {
        if (unsaved > 0) savePosition();
        if (out != null) {
            force();
            out.close();
            out = null;
        }
        lock.release();
        lockFile.close();
    }

    private void nextFile() throws IOException {
        if (out != null) {
            force();
            out.close();
        }
        lastFile++;
        out = new FileOutputStream(fileOf(lastFile), true);
        lastFileBytes = 0;
        nextIndex = 0;
    }

    private File fileOf(long number) {
        return new File(directory, String.format("queue-%012d.ndjson", number));
    }

    private void savePosition() throws IOException {
        Line first = lines.peekFirst();
        long file = first == null ? lastFile + 1 : first.file;
        int index = first == null ? 0 : first.index;
        // A file that all of it was sent of is not written to again.
        if (first == null && out != null) {
            out.close();
            out = null;
        }
        Files.replace(new File(directory, "position"), file + " " + index);
        unsaved = 0;
        for (long old = firstFile; old < file; old++) fileOf(old).delete();
        firstFile = Math.max(firstFile, file);
        if (first == null) lastFile = Math.max(lastFile, file - 1);
    }

    private void read() throws IOException {
        long file = 1;
        int index = 0;
        String[] position = Files.read(new File(directory, "position")).split(" ");
        if (position.length == 2) {
            file = number(position[0], 1);
            index = (int) number(position[1], 0);
        }
        firstFile = file;
        long[] numbers = fileNumbers();
        for (long each : numbers) {
            if (each < file) fileOf(each).delete();
            else readFile(each, each == file ? index : 0);
        }
        lastFile = Math.max(file - 1, numbers.length == 0 ? 0 : numbers[numbers.length - 1]);
    }

    private static long number(String text, long otherwise) {
        try {
            return Math.max(otherwise, Long.parseLong(text.trim()));
        } catch (NumberFormatException error) {
            return otherwise;
        }
    }

    private long[] fileNumbers() {
        String[] names = directory.list();
        if (names == null) return new long[0];
        List<Long> found = new ArrayList<>();
        for (String name : names)
            if (name.matches("queue-\\d{12}\\.ndjson")) found.add(Long.valueOf(name.substring(6, 18)));
        long[] numbers = new long[found.size()];
        for (int at = 0; at < numbers.length; at++) numbers[at] = found.get(at);
        Arrays.sort(numbers);
        return numbers;
    }

    /** The last line of a killed process may be cut off: without its end it is none. */
    private void readFile(long file, int from) throws IOException {
        File path = fileOf(file);
        try (RandomAccessFile whole = new RandomAccessFile(path, "rw")) {
            long length = whole.length();
            while (length > 0) {
                whole.seek(length - 1);
                if (whole.read() == '\n') break;
                length--;
            }
            if (length < whole.length()) whole.setLength(length);
        }
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8))) {
            int index = 0;
            for (String text = reader.readLine(); text != null; text = reader.readLine(), index++) {
                if (index < from) continue;
                int size = text.getBytes(StandardCharsets.UTF_8).length + 1;
                lines.addLast(new Line(text, size, file, index));
                bytes += size;
            }
        }
    }
}
