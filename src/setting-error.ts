/** Thrown if a setting is invalid, or if the binding that it needs is missing. */
export class SettingError extends Error {
  readonly setting: string;

  /** @param problem The end of the message, after the value, such as `; it must be "on" or "off"` */
  constructor(setting: string, value: unknown, problem: string) {
    super(`${setting} is ${JSON.stringify(value)}${problem}`);
    this.setting = setting;
  }
}
