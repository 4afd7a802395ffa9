/**
 * Whether a date of the form is typed in part: its value is '', as that of an empty field.
 * @param text the error that the first such field shows
 */
export function isHalfTyped(form: HTMLFormElement, text: string): boolean {
  for (const field of form.querySelectorAll('input')) {
    if (!field.validity.badInput) continue;
    field.setCustomValidity(text);
    // Focuses the field.
    field.reportValidity();
    return true;
  }
  return false;
}
