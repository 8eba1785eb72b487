package dev.assay;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Small files that are replaced as a whole. */
final class Files {
    private Files() {}

    /** Empty where there is none. */
    static String read(File file) throws IOException {
        if (!file.isFile()) return "";
        byte[] content = new byte[(int) Math.min(file.length(), 1_000_000)];
        int length = 0;
        try (FileInputStream in = new FileInputStream(file)) {
            for (int count = in.read(content); count > 0 && length < content.length; ) {
                length += count;
                count = length < content.length ? in.read(content, length, content.length - length) : 0;
            }
        }
        return new String(content, 0, length, StandardCharsets.UTF_8);
    }

    /** A killed process leaves the old content or the new one. */
    static void replace(File file, String content) throws IOException {
        File fresh = new File(file.getPath() + ".new");
        try (FileOutputStream out = new FileOutputStream(fresh)) {
            out.write(content.getBytes(StandardCharsets.UTF_8));
            out.getFD().sync();
        }
        if (fresh.renameTo(file)) return;
        // Windows replaces no file by renaming.
        if (!file.delete() || !fresh.renameTo(file)) throw new IOException("Cannot write " + file);
    }
}
