<?php
// Answers the questions of ../run.ts, a line for each: see ../README.md.
declare(strict_types=1);
error_reporting(E_ALL);
set_error_handler(fn (int $level, string $message) => throw new ErrorException($message));
require __DIR__ . '/LatchkeyLease.php';

while (($line = fgets(STDIN)) !== false) {
    $fields = array_map(fn (string $field) => $field === '-' ? null : base64_decode($field), explode(' ', rtrim($line, "\n")));
    [$lease, $roots, $now, $fingerprint, $deviceKey, $product, $nonce, $revokedKeys, $revocations] = $fields;
    $result = LatchkeyLease::verify($lease, explode(',', $roots), [
        'now' => (int) $now,
        'fingerprint' => $fingerprint,
        'device_key' => $deviceKey,
        'product' => $product === null ? null : (int) $product,
        'nonce' => $nonce,
        'revoked_keys' => $revokedKeys === null ? [] : explode(',', $revokedKeys),
        'revocations' => $revocations,
    ]);
    $claims = $result['claims'];
    $summary = [$claims->jti ?? '', $claims->sub ?? '', implode(',', $claims->ent ?? []), $claims->n ?? ''];
    echo $result['state'], ' ', $result['code'] ?? '-', ' ', base64_encode(implode("\n", $summary)), "\n";
}
