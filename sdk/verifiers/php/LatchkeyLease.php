<?php
declare(strict_types=1);

/**
 * Verifies leases of Latchkey without a network. Needs PHP 8.1 or later on 64 bits, with sodium.
 *
 *     $state = LatchkeyLease::verify($text, [ROOT, SPARE_ROOT], ['fingerprint' => $deviceId])['state'];
 *
 * The steps and codes are those of docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0).
 */
final class LatchkeyLease
{
    private const LEASE_MAX = 8_192; // bytes
    private const NUMBER = 2 ** 53 - 1, TIME = 253_402_300_799; // the largest
    private const TEXT = '.*', ID = '_(0|[1-9][0-9]{0,14})';
    private const KEY = '[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]'; // 32 bytes in base64url
    private const CERTIFICATE = ['kid' => self::TEXT, 'x' => self::KEY, 'nbf' => self::TIME, 'exp' => self::TIME,
        'use' => 'lease', 'rvk?' => [self::TEXT]];
    private const LEASE = ['iss' => self::TEXT, 'jti' => self::TEXT, 'sub?' => 'act' . self::ID,
        'lic' => 'lic' . self::ID, 'prd?' => self::NUMBER, 'fp?' => self::KEY, 'cnf?' => ['x' => self::KEY],
        'st' => self::TEXT, 'ent' => [self::TEXT], 'n?' => self::TEXT, 'iat' => self::TIME, 'ref' => self::TIME,
        'exp' => self::TIME, 'grc' => self::TIME, 'lxp?' => self::TIME];
    private const REVOCATIONS = ['iss' => self::TEXT, 'seq' => self::NUMBER, 'iat' => self::TIME, 'exp' => self::TIME,
        'lic' => [[self::NUMBER, self::TIME]], 'act' => [[self::NUMBER, self::TIME]]];

    /**
     * Verifies a lease, and tells its state. It throws nothing, whatever the text is.
     *
     * @param string $lease with or without LKLEASE1. before it
     * @param list<string> $roots the pinned root keys, each 32 bytes in base64url
     * @param array{now?: int, fingerprint?: ?string, device_key?: ?string, product?: ?int, nonce?: ?string,
     *     revoked_keys?: list<string>, revocations?: ?string} $options now: seconds since 1970. fingerprint: not
     *     hashed; without one, a lease for a device is refused. device_key, product, nonce: what the lease must have.
     *     revoked_keys: ids. revocations: the list as the server gives it; one that does not verify counts as none
     * @return array{state: string, code: ?string, claims: ?stdClass} state: licensed, grace, expired or refused
     */
    public static function verify(string $lease, array $roots, array $options = []): array
    {
        $now = $options['now'] ?? time();
        try {
            $text = preg_replace('/^LKLEASE1\./', '', trim($lease, " \t\r\n"));
            [$claims, $by] = self::signed($text, 'lk-lease+jwt', self::LEASE_MAX, $roots, $options);
            self::check(self::fits($claims, self::LEASE), 'malformed');
            ['iat' => $iat, 'ref' => $ref, 'exp' => $exp, 'grc' => $grc] = (array) $claims;
            self::check($iat <= $ref && $ref <= $exp && $exp <= $grc && $grc <= ($claims->lxp ?? $grc), 'malformed');
            self::check($by->nbf <= $iat && $grc <= $by->exp, 'bad_certificate');
            $fp = isset($options['fingerprint']) ? self::encode(hash('sha256', $options['fingerprint'], true)) : null;
            self::check(($claims->fp ?? null) === $fp, 'other_device');
            $asked = fn (string $name, mixed $found): bool => ($options[$name] ?? $found) === $found;
            self::check($asked('device_key', $claims->cnf->x ?? null), 'other_device');
            self::check(!isset($claims->prd) || $asked('product', $claims->prd), 'other_product');
            self::check($asked('nonce', $claims->n ?? null), 'other_nonce');
            self::check(!self::isVoid($claims, $roots, $options), 'revoked');
            self::check($iat <= $now + 300, 'clock');
        } catch (UnexpectedValueException $refused) {
            return ['state' => 'refused', 'code' => $refused->getMessage(), 'claims' => null];
        }
        $state = $now < $exp ? 'licensed' : ($now < $grc ? 'grace' : 'expired');
        return ['state' => $state, 'code' => null, 'claims' => $claims];
    }

    private static function check(bool $isGood, string $code): void
    {
        $isGood || throw new UnexpectedValueException($code);
    }

    /** Steps 1 to 6: the payloads of a lease or revocation list, and of its certificate. */
    private static function signed(string $text, string $typ, int $max, array $roots, array $options): array
    {
        $revoked = $options['revoked_keys'] ?? [];
        [$header, $payload, $isSignedBy] = self::compact($text, $typ, ['kid', 'crt'], $max);
        [, $by, $isCertifiedBy] = self::compact($header->crt, 'lk-cert+jwt', ['kid'], self::LEASE_MAX);
        $id = fn (string $x): string => substr(self::encode(hash('sha256', self::decode($x), true)), 0, 16);
        $trusted = array_filter($roots, fn (string $x): bool => !in_array($id($x), $revoked, true));
        self::check((bool) array_filter($trusted, $isCertifiedBy), 'wrong_root');
        self::check(self::fits($by, self::CERTIFICATE) && $by->kid === $header->kid, 'bad_certificate');
        self::check($by->kid === $id($by->x), 'bad_certificate');
        self::check(!in_array($by->kid, [...$revoked, ...$by->rvk ?? []], true), 'revoked_key');
        self::check($isSignedBy($by->x), 'bad_signature');
        return [$payload, $by];
    }

    /** The header, the payload, and whether a key has signed them. */
    private static function compact(string $text, string $typ, array $members, int $max): array
    {
        self::check(strlen($text) <= $max && substr_count($text, '.') === 2, 'malformed');
        [$head, $body, $signature] = array_map(self::decode(...), explode('.', $text));
        [$header, $payload] = [self::object($head), self::object($body)];
        $form = [...array_fill_keys($members, self::TEXT), 'alg' => 'EdDSA', 'typ' => preg_quote($typ)];
        self::check(self::fits($header, $form) && count((array) $header) === count($form) && $signature > '', 'malformed');
        return [$header, $payload, fn (string $x): bool => strlen($signature) === 64 && strlen(self::decode($x)) === 32
            && sodium_crypto_sign_verify_detached($signature, substr($text, 0, strrpos($text, '.')), self::decode($x))];
    }

    /** The object in JSON in which no name occurs twice, nor has a backslash. */
    private static function object(string $json): stdClass
    {
        $value = json_decode($json, false);
        $isRead = preg_match_all('/"([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"(\s*+:)?/s', $json, $strings) !== false;
        self::check($value instanceof stdClass && $isRead, 'malformed');
        $names = array_intersect_key($strings[1], array_filter($strings[2]));
        self::check(count(array_flip($names)) === count($names) && !str_contains(implode($names), '\\'), 'malformed');
        return $value;
    }

    /** Whether the revocation list is good, and has an entry for a lease. */
    private static function isVoid(stdClass $lease, array $roots, array $options): bool
    {
        try {
            $text = trim($options['revocations'] ?? '', " \t\r\n");
            [$list, $by] = self::signed($text, 'lk-revocations+jwt', 4 * 1024 * 1024, $roots, $options);
        } catch (UnexpectedValueException) {
            return false;
        }
        $isFor = fn (?string $id, string $of, array $entries): bool => (bool) array_filter(
            $entries, fn (array $entry): bool => $id === "{$of}_{$entry[0]}" && $lease->iat <= $entry[1]);
        return self::fits($list, self::REVOCATIONS) && $by->nbf <= $list->iat && $list->iat <= $by->exp
            && ($isFor($lease->lic, 'lic', $list->lic) || $isFor($lease->sub ?? null, 'act', $list->act));
    }

    /** Whether a value has a form: members, a list of one form or of given ones, a largest number, or text. */
    private static function fits(mixed $value, array|int|string $form): bool
    {
        if (!is_array($form)) {
            return is_int($form) ? is_int($value) && $value >= 0 && $value <= $form
                : is_string($value) && preg_match("/^(?:$form)$/sD", $value) === 1;
        }
        if (array_is_list($form)) {
            $forms = is_array($value) && count($form) === 1 ? array_fill(0, count($value), $form[0]) : $form;
            return is_array($value) && count($value) === count($forms)
                && !in_array(false, array_map(self::fits(...), $value, $forms), true);
        }
        $fits = fn (string $name): bool => property_exists($value, $key = rtrim($name, '?'))
            ? self::fits($value->$key, $form[$name]) : $key !== $name;
        return $value instanceof stdClass && array_filter(array_keys($form), $fits) === array_keys($form);
    }

    /** The bytes of base64url without padding; empty unless it is canonical. */
    private static function decode(string $part): string
    {
        $bytes = (string) base64_decode(strtr($part, '-_', '+/'), true);
        return self::encode($bytes) === $part ? $bytes : '';
    }

    private static function encode(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
