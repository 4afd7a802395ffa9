import { codePoints } from '../domain/fields.ts';
import type { Listed, Page } from '../store/store.ts';

/** Characters that would command the terminal, or turn the direction of what follows, instead of being seen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of others made safe to show: a license key may hold any character. */
export const printable = (text: string): string =>
  text.replace(UNSEEN, (unseen) => `\\u{${unseen.charCodeAt(0).toString(16)}}`);

/** Rows under their headings, in columns as wide as their widest cell. What is null shows as a dash. */
export function table(headings: readonly string[], rows: readonly (string | number | null)[][]): string {
  const shown = rows.map((row) => row.map((cell) => (cell === null ? '-' : printable(String(cell)))));
  const lines = [[...headings], ...shown];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => codePoints(line[column] ?? ''))),
  );
  return lines.map((line) => align(line, widths)).join('\n');
}

/** Names and values, one pair a line. */
export function pairs(values: Readonly<Record<string, string | number | null>>): string {
  const names = Object.keys(values);
  const longest = Math.max(...names.map(codePoints));
  return names.map((name) => align([name, shownValue(values[name])], [longest])).join('\n');
}

const shownValue = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? '-' : printable(String(value));

const align = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - codePoints(cell))))
    .join('  ')
    .trimEnd();

/**
 * A page of a list: its table and which part of the whole that is, or that nothing is on it.
 * @param what plural
 */
export function pageWords<T>(
  what: string,
  { items, total }: Listed<T>,
  { offset }: Page,
  tableOf: (items: readonly T[]) => string,
): string {
  if (total === 0) return `No ${what}.`;
  if (items.length === 0) return `This page is empty; in all there are ${grouped(total)}.`;
  return `${tableOf(items)}\n${grouped(offset + 1)} to ${grouped(offset + items.length)} of ${grouped(total)}`;
}

/** 1234567 as `1,234,567`. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

/** `1 license`, `2 licenses`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;
