package dev.assay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** One request, with what is on every Android and every JVM. */
final class Http {
    private static final int CONNECT_MS_MAX = 10_000;
    private static final int READ_MS_MAX = 30_000;
    /** An answer has some hundred bytes for each of a hundred events. */
    private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;

    static final class Answer {
        final int status;
        final String body;
        /** Seconds that the server asks to wait; 0 where it does not. */
        final long retryAfterS;

        Answer(int status, String body, long retryAfterS) {
            this.status = status;
            this.body = body;
            this.retryAfterS = retryAfterS;
        }
    }

    private Http() {}

    static Answer post(String address, String key, String body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
        try {
            connection.setRequestMethod("POST");
            connection.setConnectTimeout(CONNECT_MS_MAX);
            connection.setReadTimeout(READ_MS_MAX);
            connection.setInstanceFollowRedirects(false);
            connection.setDoOutput(true);
            connection.setRequestProperty("Authorization", "Bearer " + key);
            connection.setRequestProperty("Content-Type", "application/json");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            connection.setFixedLengthStreamingMode(bytes.length);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(bytes);
            }
            int status = connection.getResponseCode();
            InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
            return new Answer(status, in == null ? "" : read(in), seconds(connection.getHeaderField("Retry-After")));
        } finally {
            connection.disconnect();
        }
    }

    private static String read(InputStream in) throws IOException {
        try (InputStream answer = in) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = answer.read(part); count > 0; count = answer.read(part)) {
                out.write(part, 0, count);
                if (out.size() > ANSWER_BYTES_MAX) throw new IOException("The answer is too long");
            }
            return out.toString("UTF-8");
        }
    }

    private static long seconds(String header) {
        if (header == null || !header.trim().matches("\\d{1,6}")) return 0;
        return Long.parseLong(header.trim());
    }
}
