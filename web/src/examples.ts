import diabetes from "../examples/diabetes.py?raw";
import digits from "../examples/digits.py?raw";
import mnistFiles from "../examples/mnist_files.py?raw";

export interface Example {
  id: string;
  title: string;
  fileName: string;
  source: string;
  /** Selects the charts that are shown before the script has reported its metrics. */
  task: "classification" | "regression";
  /** Whether it trains on files that the visitor chooses. */
  wantsFiles: boolean;
}

export const EXAMPLES: Example[] = [
  {
    id: "digits",
    title: "Digits, convolutional",
    fileName: "digits.py",
    source: digits,
    task: "classification",
    wantsFiles: false,
  },
  {
    id: "diabetes",
    title: "Diabetes, regression",
    fileName: "diabetes.py",
    source: diabetes,
    task: "regression",
    wantsFiles: false,
  },
  {
    id: "mnist",
    title: "Your MNIST files",
    fileName: "mnist_files.py",
    source: mnistFiles,
    task: "classification",
    wantsFiles: true,
  },
];
