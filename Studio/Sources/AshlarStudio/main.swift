import Hummingbird
import HummingbirdTesting
print("x")
