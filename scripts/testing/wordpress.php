<?php
/** As much of WordPress and WooCommerce as the guide calls; requests are real ones. */
$hooks = [];

function add_action(string $hook, callable $action): void
{
    global $hooks;
    $hooks[$hook][] = $action;
}

function do_action(string $hook, mixed ...$values): void
{
    global $hooks;
    foreach ($hooks[$hook] ?? [] as $action) {
        $action(...$values);
    }
}

function current_user_can(string $capability): bool
{
    return getenv('ROLE') === 'editor' && $capability === 'edit_posts';
}

function esc_url(string $url): string
{
    return filter_var($url, FILTER_SANITIZE_URL);
}

function esc_attr(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}

function wp_json_encode(mixed $value): string
{
    return json_encode($value, JSON_THROW_ON_ERROR);
}

function wp_remote_post(string $url, array $request): void
{
    $headers = array_map(fn ($name, $value) => "$name: $value", array_keys($request['headers']), $request['headers']);
    $options = ['method' => 'POST', 'header' => $headers, 'content' => $request['body'], 'ignore_errors' => true];
    echo file_get_contents($url, false, stream_context_create(['http' => $options]));
}

function wc_get_order(int $id): object
{
    return new class () {
        public function get_customer_id(): int
        {
            return 7;
        }

        public function get_total(): string
        {
            return '49.90';
        }

        public function get_currency(): string
        {
            return 'EUR';
        }
    };
}
