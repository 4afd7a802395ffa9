/** More of the dump is needed to read the token. */
export class Incomplete extends Error {}

export type Token =
  | { kind: 'word'; text: string }
  /** A quoted name of a table or column. */
  | { kind: 'name'; text: string }
  | { kind: 'string'; bytes: Buffer }
  | { kind: 'number'; bytes: Buffer }
  | { kind: 'comment'; text: string }
  /** One character. */
  | { kind: 'mark'; text: string };

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, DOUBLE_QUOTE, BACKTICK, BACKSLASH] = [0x27, 0x22, 0x60, 0x5c];
const [HASH, STAR, MINUS, DOT, SLASH, ZERO, X] = [0x23, 0x2a, 0x2d, 0x2e, 0x2f, 0x30, 0x78];
const SEMICOLON = 0x3b;

const ESCAPED: Readonly<Record<number, number>> = {
  48: 0x00, // 0
  98: 0x08, // b
  110: 0x0a, // n
  114: 0x0d, // r
  116: 0x09, // t
  90: 0x1a, // Z
};

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isWord = (byte: number) =>
  isDigit(byte) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x5f ||
  byte === 0x24 ||
  byte === 0x40 || // @ of variables
  byte >= 0x80;

/** Reads SQL as MySQL writes it, token by token, from bytes that are a part of a dump. */
export class Tokens {
  position = 0;
  readonly #bytes: Buffer;
  /** Whether the dump ends with these bytes. */
  readonly #isLast: boolean;

  constructor(bytes: Buffer, isLast: boolean) {
    this.#bytes = bytes;
    this.#isLast = isLast;
  }

  /** The next token; null at the end of the dump. @throws Incomplete */
  next(): Token | null {
    this.skipSpace();
    if (this.position >= this.#bytes.length) return this.#end(null);
    const byte = this.#at(0);
    if (byte === QUOTE || byte === DOUBLE_QUOTE) return { kind: 'string', bytes: this.#quoted(byte) };
    if (byte === BACKTICK) return { kind: 'name', text: this.#quoted(BACKTICK).toString() };
    if (byte === HASH || (byte === MINUS && this.#at(1) === MINUS && this.#at(2) <= SPACE))
      return this.#comment('\n', 1, true);
    if (byte === SLASH && this.#at(1) === STAR) return this.#comment('*/', 2, false);
    if (byte === ZERO && (this.#at(1) | SPACE) === X) return this.#hex();
    if (isDigit(byte) || ((byte === MINUS || byte === DOT) && isDigit(this.#at(1))))
      return { kind: 'number', bytes: this.#while(isNumber) };
    if (isWord(byte)) return { kind: 'word', text: this.#while(isWord).toString() };
    this.position++;
    return { kind: 'mark', text: String.fromCharCode(byte) };
  }

  skipSpace(): void {
    const bytes = this.#bytes;
    for (; this.position < bytes.length; this.position++) {
      const byte = bytes[this.position];
      if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return;
    }
  }

  get isAtEnd(): boolean {
    this.skipSpace();
    return this.position === this.#bytes.length;
  }

  /** The rest of the line. @throws Incomplete */
  line(): string {
    const token = this.#comment('\n', 0, true);
    return token.kind === 'comment' ? token.text : '';
  }

  /** Skips to the end of a statement. False if the end is not in these bytes; those from `position` on are needed again. */
  skipStatement(): boolean {
    const bytes = this.#bytes;
    try {
      while (this.position < bytes.length) {
        const byte = bytes[this.position] as number;
        if (byte === QUOTE || byte === DOUBLE_QUOTE || byte === BACKTICK) this.#endOfString(byte);
        else if (byte === HASH || byte === MINUS || byte === SLASH) this.next();
        else {
          this.position++;
          if (byte === SEMICOLON) return true;
        }
      }
    } catch (error) {
      if (!(error instanceof Incomplete)) throw error;
    }
    return false;
  }

  /** The byte this far ahead of the position; a line end if the dump ends before. */
  #at(ahead: number): number {
    return this.#bytes[this.position + ahead] ?? this.#end(NEWLINE);
  }

  #end<T>(value: T): T {
    if (!this.#isLast) throw new Incomplete();
    return value;
  }

  #while(belongs: (byte: number) => boolean): Buffer {
    const start = this.position;
    let end = start + 1;
    while (end < this.#bytes.length && belongs(this.#bytes[end] as number)) end++;
    if (end === this.#bytes.length) this.#end(null);
    this.position = end;
    return this.#bytes.subarray(start, end);
  }

  #comment(end: string, length: number, mayEnd: boolean): Token {
    const at = this.#bytes.indexOf(end, this.position + length);
    if (at < 0 && !mayEnd) throw new Incomplete();
    const stop = at < 0 ? this.#end(this.#bytes.length) : at;
    const text = this.#bytes.toString('utf8', this.position, stop);
    this.position = Math.min(stop + end.length, this.#bytes.length);
    return { kind: 'comment', text };
  }

  #hex(): Token {
    this.position += 2;
    const digits = this.#while(isWord).toString('latin1');
    return { kind: 'string', bytes: Buffer.from(digits, 'hex') };
  }

  /** Moves behind the closing quote. Returns whether the string has escapes. */
  #endOfString(quote: number): boolean {
    const bytes = this.#bytes;
    let escapes = false;
    for (let at = this.position + 1; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BACKSLASH && quote !== BACKTICK) {
        escapes = true;
        at++;
      } else if (byte === quote) {
        if (at + 1 === bytes.length) this.#end(null);
        if (bytes[at + 1] !== quote) {
          this.position = at + 1;
          return escapes;
        }
        escapes = true;
        at++;
      }
    }
    throw new Incomplete();
  }

  #quoted(quote: number): Buffer {
    const start = this.position + 1;
    const escapes = this.#endOfString(quote);
    const text = this.#bytes.subarray(start, this.position - 1);
    return escapes ? unescaped(text, quote) : text;
  }
}

const isNumber = (byte: number) => isWord(byte) || byte === DOT || byte === MINUS || byte === 0x2b;

function unescaped(text: Buffer, quote: number): Buffer {
  const result = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let byte = text[at] as number;
    if (byte === BACKSLASH && quote !== BACKTICK) {
      const escaped = text[++at] as number;
      // \% and \_ keep their backslash.
      if (escaped === 0x25 || escaped === 0x5f) result[length++] = BACKSLASH;
      byte = ESCAPED[escaped] ?? escaped;
    } else if (byte === quote) at++;
    result[length++] = byte;
  }
  return result.subarray(0, length);
}
